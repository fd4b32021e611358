import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/lib/clock.ts'
import type { GroupOptions } from '../../support/whatsapp-peer/index.ts'
import { stanza } from '../../support/whatsapp-peer/stanza.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const HOUR = 3_600_000
const [ANI, BUDI, CITRA] = [RECIPIENT, '6281234567891', '6281234567892']

async function inGroup(options: Partial<GroupOptions> = {}, kind: 'migrated' | 'unmigrated' = 'migrated') {
  const world = await createWorld()
  const { peer, store, senderId } = world
  const [ani, budi] = [peer.recipient(ANI, { devices: 2 }), peer.recipient(BUDI)]
  const group = peer.group('Dapur', { members: [OWNER, ANI, BUDI], ...options })
  const run = world.open()
  await run.link({ method: 'qr' }, peer.phone(OWNER, { name: 'Toko', kind }))
  const groups = () => store.groups.list(senderId)
  const send = async (text: string, to = group.jid) => {
    const message = await world.message(text, { to })
    return { message, outcome: await run.send(message) }
  }
  const stored = (seq: number) => store.messages.find({ seq })
  return { ...world, run, group, ani, budi, groups, send, stored }
}

const item = (id: string) => stanza('list', {}, [stanza('item', { id })])

const ACKNOWLEDGED = { kind: 'acknowledged' }

describe('a message to a group', () => {
  test.each([
    ['lid', 'migrated'],
    ['lid', 'unmigrated'],
    ['pn', 'migrated'],
    ['pn', 'unmigrated'],
  ] as const)(
    'in mode %s, from an account that is %s, is opened by every device of every member',
    async (form, kind) => {
      const { send, ani, budi, group, peer, stored } = await inGroup({ form }, kind)
      const { message, outcome } = await send('Rapat jam 5')
      expect(outcome).toEqual(ACKNOWLEDGED)
      for (const device of [ani, ani.onDevice(1), budi]) {
        expect(await device?.next()).toMatchObject({ text: 'Rapat jam 5', group: group.jid, from: OWNER })
      }
      expect(await peer.phone(OWNER).copies()).toMatchObject([{ text: 'Rapat jam 5' }])
      await expect.poll(async () => (await stored(message.seq))?.status).toBe('read')
      expect(await stored(message.seq)).toMatchObject({ receipts: { members: 2 } })
      expect(peer.journal.messageKeys.usedTwice).toEqual([])
    },
  )

  test('is sent by a receipt or the acknowledgement; delivered and read when every member’s receipt came', async () => {
    const { send, ani, budi, stored, run } = await inGroup()
    ani.receipts = 'none'
    budi.receipts = 'none'
    const { message } = await send('Rapat')
    const id = message.providerMessageId
    await budi.next()
    budi.read(id)
    await run.reported(id, 'read')
    expect(await stored(message.seq)).toMatchObject({
      status: 'sent',
      receipts: { delivered: 'Ag==', read: 'Ag==' },
    })
    ani.deliver(id)
    await run.reported(id, 'delivered')
    expect((await stored(message.seq))?.status).toBe('delivered')
    ani.answersFrom = 'number'
    ani.read(id)
    await expect.poll(async () => (await stored(message.seq))?.status).toBe('read')
  })

  test('is not read by all where one member says so outside the group', async () => {
    const { send, ani, budi, stored, run, peer } = await inGroup()
    ani.receipts = 'none'
    budi.receipts = 'none'
    const { message } = await send('Rapat')
    const id = message.providerMessageId
    peer.phone(OWNER).post(stanza('receipt', { from: `${budi.lid}@lid`, type: 'read' }, [item(id)]))
    await run.reported(id, 'read')
    expect((await stored(message.seq))?.status).toBe('sent')
  })

  test('is read where WhatsApp brings the receipts of its members together', async () => {
    const { send, ani, budi, stored } = await inGroup()
    ani.receipts = 'none'
    budi.receipts = 'none'
    const { message } = await send('Rapat')
    await budi.next()
    budi.readTogether(message.providerMessageId, [ANI])
    await expect.poll(async () => (await stored(message.seq))?.status).toBe('read')
  })

  test('gets no key where it has come before; a new device and a new member get it', async () => {
    const { send, group, ani, budi, peer } = await inGroup()
    await send('satu')
    const { message } = await send('dua')
    expect(peer.keysInGroup(`${ani.lid}@lid`, message.providerMessageId)).toEqual([])
    group.add(CITRA)
    const citra = peer.recipient(CITRA)
    await send('tiga')
    expect(await citra.next()).toMatchObject({ text: 'tiga' })
    const device = budi.addDevice({ silently: true })
    // The hash of this acknowledgement shows that there is one more; it asks for this message itself.
    await send('empat')
    expect(await budi.onDevice(device)?.next()).toMatchObject({ text: 'empat' })
    const { message: last } = await send('lima')
    expect(peer.keysInGroup(`${budi.lid}:${device}@lid`, last.providerMessageId)).toHaveLength(1)
  })

  test('is sealed with another key once somebody has left', async () => {
    const { send, group, ani, budi, peer } = await inGroup()
    const { message: first } = await send('satu')
    await budi.next()
    group.remove(BUDI)
    await expect.poll(() => peer.phone(OWNER).pending.unconfirmed).toBe(0)
    const { message: second } = await send('dua')
    expect(await ani.next()).toMatchObject({ text: 'satu' })
    expect(await ani.next()).toMatchObject({ text: 'dua' })
    const keys = [first, second].flatMap((each) => peer.keysInGroup(`${ani.lid}@lid`, each.providerMessageId))
    expect(keys).toHaveLength(2)
    expect(await budi.messages()).toHaveLength(1)
  })

  test('is sealed with another key once a device of a member was removed', async () => {
    const { send, ani, peer } = await inGroup()
    const { message: first } = await send('satu')
    ani.removeDevice(1)
    await send('dua')
    const { message: third } = await send('tiga')
    const had = (id: string) => peer.keysInGroup(`${ani.lid}@lid`, id).length
    expect(had(first.providerMessageId) + had(third.providerMessageId)).toBe(2)
  })

  test('a new run begins another key: no step of one is ever made twice', async () => {
    const { send, run, open, peer, group, ani, message } = await inGroup()
    await send('satu')
    await run.linked.stop()
    const again = open()
    again.linked.start()
    await again.state('connected')
    const text = await message('dua', { to: group.jid })
    expect(await again.send(text)).toEqual(ACKNOWLEDGED)
    expect(await ani.next()).toMatchObject({ text: 'satu' })
    expect(await ani.next()).toMatchObject({ text: 'dua' })
    expect(peer.keysInGroup(`${ani.lid}@lid`, text.providerMessageId)).toHaveLength(1)
    expect(peer.journal.messageKeys.usedTwice).toEqual([])
  })

  test('goes once more under its id where the addressing mode has changed', async () => {
    const { send, group, budi, peer } = await inGroup({ form: 'pn' })
    await send('satu')
    group.setForm('lid')
    const { outcome, message } = await send('dua')
    expect(outcome).toEqual(ACKNOWLEDGED)
    const written = peer.journal.messages.filter(({ id }) => id === message.providerMessageId)
    expect(written.map(({ error }) => error)).toEqual(['421', undefined])
    await budi.next()
    expect(await budi.next()).toMatchObject({ text: 'dua' })
  })

  test('goes once more, to those who are left, where somebody has left meanwhile', async () => {
    const { open, run, record, group, ani, budi, peer, message, stored } = await inGroup()
    await run.linked.stop()
    // When it is on disk to whom the message goes.
    const change: typeof record.change = async (...args) => {
      const changed = await record.change(...args)
      group.remove(BUDI, { silently: true })
      return changed
    }
    const next = open({ record: { ...record, change } })
    next.linked.start()
    await next.state('connected')
    const text = await message('satu', { to: group.jid })
    expect(await next.send(text)).toEqual(ACKNOWLEDGED)
    const written = peer.journal.messages.filter(({ id }) => id === text.providerMessageId)
    expect(written.map(({ error }) => error)).toEqual(['400', undefined])
    expect(await ani.next()).toMatchObject({ text: 'satu' })
    expect(await budi.messages()).toEqual([])
    expect(peer.journal.messageKeys.usedTwice).toEqual([])
    // Nobody waits for the receipt of somebody who got nothing.
    await expect.poll(async () => (await stored(text.seq))?.status).toBe('read')
    expect(await stored(text.seq)).toMatchObject({ receipts: { members: 1 } })
  })
})

test('a message to a group is not written once more when its time is over', async () => {
  const { open, run, record, group, peer, message } = await inGroup({ form: 'pn' })
  await run.linked.stop()
  let [ahead, stored] = [0, 0]
  const next = open({
    clock: { ...systemClock, now: () => Date.now() + ahead },
    record: {
      ...record,
      // To whom it goes is stored before each writing.
      change(...args) {
        stored += 1
        if (stored === 2) ahead = HOUR
        return record.change(...args)
      },
    },
  })
  next.linked.start()
  await next.state('connected')
  await next.send(await message('satu', { to: group.jid }))
  stored = 0
  group.setForm('lid')
  const late = { ...(await message('dua', { to: group.jid })), attempts: 1, expiresAt: Date.now() + HOUR / 2 }
  expect(await next.send(late)).toEqual({ kind: 'refused', code: 'expired' })
  const written = peer.journal.messages.filter(({ id }) => id === late.providerMessageId)
  expect(written.map(({ error }) => error)).toEqual(['421'])
})

describe('a member that could not open it', () => {
  test('gets it alone, on the device that asked, with the key', async () => {
    const { send, ani, budi, peer } = await inGroup()
    const { message } = await send('satu')
    for (const device of [ani, ani.onDevice(1), budi]) await device?.next()
    ani.reinstall()
    const { message: second } = await send('dua')
    expect(await ani.next()).toMatchObject({ text: 'dua' })
    expect(await budi.next()).toMatchObject({ text: 'dua' })
    const answers = peer.journal.messages.filter(({ askedFor }) => askedFor)
    expect(answers.map(({ id }) => id)).toEqual([second.providerMessageId])
    await send('tiga')
    expect(await ani.next()).toMatchObject({ text: 'tiga' })
    expect(peer.journal.messages.filter(({ askedFor }) => askedFor)).toHaveLength(1)
    expect(message.providerMessageId).not.toBe(second.providerMessageId)
  })

  test('gets it in the addressing mode of the group, though that has changed since', async () => {
    const { send, group, budi, peer } = await inGroup({ form: 'pn' })
    const { message } = await send('satu')
    await budi.next()
    group.setForm('lid')
    budi.askRetry(message.providerMessageId)
    const answers = () => peer.journal.messages.filter(({ askedFor }) => askedFor)
    await expect.poll(answers).toMatchObject([{ acked: true }])
    expect(answers()[0]?.error).toBeUndefined()
  })

  test('and has left since, gets nothing', async () => {
    const { send, group, budi, peer, run } = await inGroup()
    const { message } = await send('satu')
    await budi.next()
    group.remove(BUDI)
    budi.askRetry(message.providerMessageId)
    await expect.poll(() => peer.phone(OWNER).pending.unconfirmed).toBe(0)
    expect(peer.journal.messages.filter(({ askedFor }) => askedFor)).toEqual([])
    expect(run.view().state).toBe('connected')
  })
})

describe('a group that cannot be written to', () => {
  test('because this number left it, because only admins write, because there is none', async () => {
    const { send, group } = await inGroup({ members: [ANI, OWNER, BUDI] })
    group.setAnnounce(true)
    expect((await send('x')).outcome).toMatchObject({ kind: 'refused', code: 'group_closed' })
    group.setAnnounce(false)
    group.remove(OWNER)
    expect((await send('x')).outcome).toMatchObject({ kind: 'refused', code: 'not_in_group' })
    expect((await send('x', '120363999999999999@g.us')).outcome).toMatchObject({ code: 'group_unknown' })
  })

  test('and nobody said so: the refusal of the message shows it', async () => {
    const { send, group } = await inGroup({ members: [ANI, OWNER, BUDI] })
    await send('satu')
    group.setAnnounce(true, { silently: true })
    expect((await send('dua')).outcome).toMatchObject({ kind: 'refused', code: 'group_closed' })
    group.setAnnounce(false)
    expect((await send('tiga')).outcome).toEqual(ACKNOWLEDGED)
    group.remove(OWNER, { silently: true })
    expect((await send('empat')).outcome).toMatchObject({ kind: 'refused', code: 'not_in_group' })
  })
})

describe('the list of groups', () => {
  test('is read with the connection, and kept up by notifications', async () => {
    const { group, groups, peer, printed } = await inGroup({ members: [ANI, OWNER, BUDI] })
    const row = { jid: group.jid, name: 'Dapur', members: 3, canSend: true }
    await expect.poll(groups).toEqual([row])
    group.rename('Dapur Pusat')
    await expect.poll(groups).toEqual([{ ...row, name: 'Dapur Pusat' }])
    group.add(CITRA)
    await expect.poll(groups).toMatchObject([{ members: 4 }])
    group.setAnnounce(true)
    await expect.poll(groups).toMatchObject([{ canSend: false }])
    group.promote(OWNER)
    await expect.poll(groups).toMatchObject([{ canSend: true }])
    const second = peer.group('Sopir', { members: [ANI, OWNER], silently: false })
    await expect.poll(groups).toMatchObject([{}, { jid: second.jid, name: 'Sopir', members: 2 }])
    group.remove(OWNER)
    await expect.poll(groups).toMatchObject([{ jid: second.jid }])
    group.add(OWNER)
    await expect.poll(groups).toMatchObject([{ name: 'Dapur Pusat' }, {}])
    expect(printed.join('')).not.toMatch(/Dapur|Sopir/)
  })
})
