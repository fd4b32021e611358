import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { OfficialAccount } from '../../../server/connections/official/graph/accounts.ts'
import { createMetaInbox } from '../../../server/connections/official/inbox/inbox.ts'
import { StorageError } from '../../../server/lib/storage-error.ts'
import type { CustomersPort, MarketingPreference, ReceivedMessage } from '../../../server/senders/customers.ts'
import type { Store } from '../../../server/store/index.ts'
import { createTestClock } from '../../support/clock.ts'
import { openTestStore } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { metaJson, statusError } from '../../support/graph-peer/callbacks.ts'
import { newRow } from '../../support/new-message.ts'
import { officialContext } from '../../support/official-context.ts'
import { AT, CUSTOMER, inbound, NUMBER, statuses, WABA } from './corpus/case.ts'

const ACCOUNT: OfficialAccount = {
  ...{ senderId: 1, code: 'SND-1', phoneNumberId: NUMBER, wabaId: WABA },
  ...{ accessToken: 't', appSecret: 's', verifyToken: 'v' },
}

const SENDER: Parameters<Store['senders']['add']>[0] = {
  ...{ code: 'SND-1', kind: 'official', state: 'connected', createdAt: 0 },
  official: { phone_number_id: NUMBER, waba_id: WABA },
  settings: {
    ...{ name: 'Toko', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null },
    ...{ country_code: null, second_road: null },
  },
}

/** The inbox with a store of its own, and somebody who listens to customers. */
async function open() {
  const home = mkdtempSync(join(tmpdir(), 'kurir-customers-'))
  const store = await openTestStore({ home, now: Date.now })
  const clock = createTestClock()
  onTestFinished(async () => {
    await store.close()
    rmSync(home, { recursive: true })
  })
  const received: ReceivedMessage[] = []
  const preferences: MarketingPreference[] = []
  const listener = { fails: false, isDiskFull: false, isFileHeld: false, isBroken: false }
  const customers: CustomersPort = {
    async received(message) {
      if (listener.fails) throw new Error('the disk is full')
      received.push(message)
    },
    async preference(preference) {
      if (listener.isDiskFull) throw new StorageError('full', home, undefined)
      if (listener.isBroken) throw new Error('nobody has foreseen this')
      preferences.push(preference)
    },
    renamed: async () => undefined,
  }
  const context = officialContext(store, { customers, clock })
  const find: typeof store.messages.find = async (ref) => {
    if (listener.isFileHeld) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    return store.messages.find(ref)
  }
  const inbox = createMetaInbox(
    {
      ...context,
      store: { ...store, messages: { ...store.messages, find } },
      accounts: { ...context.accounts, list: () => [ACCOUNT] },
    },
    async () => undefined,
    async () => undefined,
  )
  onTestFinished(() => inbox.stop())
  return { store, inbox, received, preferences, listener, clock }
}

const TEXT = Buffer.from(metaJson(inbound({ type: 'text', text: { body: 'Halo' }, context: { id: 'wamid.ours' } })))

it('a customer’s message is passed on once, to the sender that it was written to', async () => {
  const { inbox, received } = await open()
  expect(await inbox.receive(TEXT, [ACCOUNT])).toBe(true)
  expect(await inbox.receive(TEXT, [ACCOUNT])).toBe(true)
  expect(received).toEqual([
    {
      ...{ senderId: 1, id: 'wamid.customer', from: CUSTOMER, fromUserId: null, type: 'text', text: 'Halo' },
      ...{ replyTo: 'wamid.ours', occurredAt: AT },
    },
  ])
  await inbox.receive(TEXT, [{ ...ACCOUNT, senderId: 2, phoneNumberId: '999' }])
  expect(received, 'another number').toHaveLength(1)
})

it('a message that could not be passed on is accepted when Meta repeats it', async () => {
  const { inbox, received, listener } = await open()
  listener.fails = true
  await expect(inbox.receive(TEXT, [ACCOUNT])).rejects.toThrow('the disk is full')
  listener.fails = false
  await inbox.receive(TEXT, [ACCOUNT])
  expect(received).toHaveLength(1)
})

it.each([
  'on a disk with room',
  'on a disk that is full for a moment',
  'in a file that another program holds for a moment',
])('a failure because of an opt-out stores the opt-out, %s', async (disk) => {
  const { store, inbox, preferences, listener, clock } = await open()
  listener.isDiskFull = disk.includes('full')
  listener.isFileHeld = disk.includes('holds')
  const sender = await store.senders.add(SENDER)
  expect(sender.id).toBe(ACCOUNT.senderId)
  const row = newRow({ senderId: sender.id, channel: 'template', status: 'accepted', providerMessageId: 'wamid.1' })
  await store.messages.accept(row, { unique: false })
  const failed = { id: 'wamid.1', status: 'failed', timestamp: '1795248000', errors: [statusError(131050, 'x', 'y')] }
  await inbox.receive(Buffer.from(metaJson(statuses(failed))), [ACCOUNT])
  if (listener.isDiskFull || listener.isFileHeld) {
    await clock.scheduled(5_000)
    Object.assign(listener, { isDiskFull: false, isFileHeld: false })
    await clock.advance(5_000)
  }
  await eventually(() => preferences.length > 0)
  expect(preferences).toMatchObject([
    { senderId: sender.id, recipient: row.recipient, wants: false, at: 1_795_248_000_000 },
  ])
})

it('a status that fails with an unforeseen error is tried three times and does not hold up others', async () => {
  const { store, inbox, preferences, listener, clock } = await open()
  const sender = await store.senders.add(SENDER)
  const statusOf = async (id: string) =>
    (await store.messages.find({ providerMessageId: id, senderId: sender.id }))?.status
  const comes = async (id: string, more: object) => {
    const row = newRow({ senderId: sender.id, channel: 'template', status: 'accepted', providerMessageId: id })
    await store.messages.accept(row, { unique: false })
    await inbox.receive(Buffer.from(metaJson(statuses({ id, timestamp: '1795248000', ...more }))), [ACCOUNT])
  }
  const refusal = { status: 'failed', errors: [statusError(131050, 'x', 'y')] }
  listener.isBroken = true
  await comes('wamid.1', refusal)
  await clock.scheduled(5_000)
  listener.isBroken = false
  await clock.advance(5_000)
  await eventually(async () => (await statusOf('wamid.1')) === 'failed')
  expect(preferences).toHaveLength(1)

  listener.isBroken = true
  await comes('wamid.2', refusal)
  await clock.scheduled(5_000)
  await comes('wamid.3', { status: 'delivered' })
  await eventually(async () => {
    await clock.advance(5_000)
    return (await statusOf('wamid.3')) === 'delivered'
  })
  expect(await statusOf('wamid.2')).toBe('accepted')
})

it('an early status that could not be applied when its message became known is applied later', async () => {
  const { store, inbox } = await open()
  const sender = await store.senders.add(SENDER)
  const update = { providerMessageId: 'wamid.9', status: 'delivered', occurredAt: AT, pricing: null, errors: [] }
  const early = { ...{ senderId: sender.id, providerMessageId: 'wamid.9', status: 'delivered' }, receivedAt: AT }
  expect(await store.inbox.keepEarly({ ...early, update })).toBe(true)
  const row = newRow({ senderId: sender.id, channel: 'template', status: 'accepted', providerMessageId: 'wamid.9' })
  await store.messages.accept(row, { unique: false })
  await inbox.settleRipe()
  expect((await store.messages.find({ id: row.id }))?.status).toBe('delivered')
  expect(await store.inbox.ripe()).toEqual([])
})
