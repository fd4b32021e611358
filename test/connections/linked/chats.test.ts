import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MOST_MESSAGE_BYTES } from '../../../server/connections/linked/library/bounds.ts'
import { createDeafLine } from '../../../server/connections/linked/session/reconnect.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { groupKey } from '../../support/whatsapp-peer/hostile.ts'
import { changeSettings } from '../../support/whatsapp-peer/settings.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const HOUR = 3_600_000

test('a message to a chat whose messages disappear does so too, and a repeat of it is the same', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  await customer.send({ extendedTextMessage: { text: 'halo', contextInfo: { expiration: 86_400 } } })
  await eventually(async () => (await world.store.contacts.get(world.senderId, RECIPIENT))?.timer === 86_400)
  const message = await world.message('Pesanan siap')
  await run.send(message)
  const received = await customer.next()
  expect(received.content.extendedTextMessage?.contextInfo?.expiration).toBe(86_400)
  await world.store.contacts.change(world.senderId, RECIPIENT, { timer: null, setAt: 9_999_999_999 })
  customer.askRetry(message.providerMessageId)
  expect((await customer.next()).content).toEqual(received.content)
})

test('nobody sets a timer that WhatsApp does not offer, nor one for all time to come', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  const timer = async () => (await world.store.contacts.get(world.senderId, RECIPIENT))?.timer
  const write = (expiration: number, ephemeralSettingTimestamp: number) =>
    customer.send({ extendedTextMessage: { text: 'halo', contextInfo: { expiration, ephemeralSettingTimestamp } } })
  await write(1, 2 ** 53 - 1)
  await write(86_400, 2 ** 53 - 1)
  await eventually(async () => (await timer()) === 86_400)
  await write(604_800, Math.floor(Date.now() / 1000) + 60)
  await eventually(async () => (await timer()) === 604_800)
})

test('keys of groups are not kept, however many a customer sends', async () => {
  const world = await createWorld()
  const texts: unknown[] = []
  const run = world.open({ onReceived: async ({ text }) => void texts.push(text) })
  await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  for (let n = 0; n < 20; n += 1) {
    await customer.send({
      conversation: `key ${n}`,
      senderKeyDistributionMessage: {
        groupId: `${n}@g.us`,
        axolotlSenderKeyDistributionMessage: groupKey(),
      },
    })
  }
  await eventually(() => texts.includes('key 19'))
  expect(await world.store.sessions.keysOf(world.senderId, 'sender-key')).toEqual([])
})

test('a message that no client writes is confirmed unread, the longest text arrives', async () => {
  const world = await createWorld()
  const texts: unknown[] = []
  const run = world.open({ onReceived: async ({ text }) => void texts.push(text) })
  const phone = await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  await customer.send('x'.repeat(MOST_MESSAGE_BYTES))
  const longest = '😀'.repeat(65_536)
  await customer.send(longest)
  await eventually(() => texts.length > 0)
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(new Set(texts)).toEqual(new Set([longest]))
})

test('a salt of the account replaces the token of somebody who has issued none', async () => {
  const world = await createWorld()
  const salt = randomBytes(32)
  const run = world.open()
  const phone = world.peer.phone(OWNER, { kind: 'migrated', salt })
  phone.setProp(24_941, '1')
  await run.link({ method: 'qr' }, phone)
  await phone.sendHistory({ salt, chats: [] })
  await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'salt')).length === 1)
  // What the server says of the account is read when the connection opens.
  await eventually(() => (world.peer.journal.queries.get('abt props') ?? 0) > 0)
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages.at(-1)).toMatchObject({ token: 'cstoken' })
})

test('a salt is not used by another account that is linked next', async () => {
  const world = await createWorld()
  const salt = randomBytes(32)
  const run = world.open()
  const phones = [OWNER, '6281100000002'].map((number) => world.peer.phone(number, { kind: 'migrated' }))
  for (const phone of phones) phone.setProp(24_941, '1')
  await run.link({ method: 'qr' }, phones[0])
  await phones[0]?.sendHistory({ salt, chats: [] })
  await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'salt')).length === 1)
  const props = () => world.peer.journal.queries.get('abt props') ?? 0
  const before = props()
  await run.link({ method: 'qr' }, phones[1])
  await eventually(() => props() > before)
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages.at(-1)).toMatchObject({ account: '6281100000002', token: undefined })
})

describe('a salt in the phone’s settings', () => {
  async function withSalt() {
    const world = await createWorld()
    const run = world.open()
    const phone = world.peer.phone(OWNER, { kind: 'migrated' })
    phone.setProp(24_941, '1')
    await phone.keepSalt(randomBytes(32))
    /** As it lies on the disk, sealed. */
    const kept = async () => (await world.store.sessions.keysOf(world.senderId, 'salt'))[0]?.value.toString('hex')
    const asked = () => world.peer.journal.queries.get('w:sync:app:state sync') ?? 0
    /** The token that goes with a message to somebody who has issued none. */
    const tokenTo = async (to: string) => {
      expect(await run.send(await world.message('halo', { to }))).toEqual({ kind: 'acknowledged' })
      return world.peer.journal.messages.at(-1)?.token
    }
    return { world, run, phone, kept, asked, tokenTo }
  }
  const STRANGERS = ['6281234567801', '6281234567802', '6281234567803'] as const

  test('is read with the link; another one takes its place, and none does', async () => {
    const { world, run, phone, kept, asked, tokenTo } = await withSalt()
    // Other settings follow the snapshot, one in an answer.
    for (let n = 0; n < 3; n += 1) changeSettings(phone.settings, ['mute', `${n}@s.whatsapp.net`], Buffer.of())
    await run.link({ method: 'qr' }, phone)
    await eventually(async () => (await kept()) !== undefined)
    await eventually(() => (world.peer.journal.queries.get('abt props') ?? 0) > 0)
    expect(await tokenTo(STRANGERS[0])).toBe('cstoken')
    const [first, before] = [await kept(), asked()]
    await phone.keepSalt(randomBytes(32))
    await eventually(async () => (await kept()) !== first)
    // The server takes no token of the former one. One answer has brought what was new.
    expect(await tokenTo(STRANGERS[1])).toBe('cstoken')
    expect(asked()).toBe(before + 1)
    await phone.keepSalt(undefined)
    await eventually(async () => (await kept()) === undefined)
    expect(await tokenTo(STRANGERS[2])).toBeUndefined()
  })

  test('that none of the owner’s devices wrote is not taken, nor are settings without an end', async () => {
    const { world, run, phone, kept, asked } = await withSalt()
    world.peer.media.misbehave((_request, response) => {
      response.on('error', () => undefined)
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    await run.link({ method: 'qr' }, phone)
    await eventually(() => asked() === 1)
    await eventually(() => world.printed.join('').includes('the salt of an account could not be read'))
    world.peer.media.misbehave()
    phone.settings.snapshot = undefined
    changeSettings(phone.settings, ['mute', '1@s.whatsapp.net'], Buffer.of())
    const patch = phone.settings.patches.get(1)
    const sealed = [...phone.settings.records.values()][0]?.value?.blob
    if (patch === undefined || !sealed) throw new Error('no salt')
    const at = Buffer.from(patch).indexOf(sealed)
    patch[at + 20] = (patch[at + 20] ?? 0) ^ 1
    phone.tellSettings()
    await eventually(() => world.printed.join('').includes('none of the owner’s devices wrote'))
    expect(await kept()).toBeUndefined()
    expect(run.view().state).toBe('connected')
  })
})

test.each(['postStatus', 'postStatusStanza', 'postUnheardOf', 'postToChannel', 'postToGroup'] as const)(
  'what no customer wrote (%s) is confirmed, and keeps nothing back',
  async (post) => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    const customer = world.peer.recipient(RECIPIENT)
    customer[post]()
    await eventually(() => phone.pending.unconfirmed === 0)
    expect(phone.pending).toMatchObject({ refused: 0, withheld: 0 })
    await run.linked.stop()
    customer[post]()
    await customer.send('masih buka?')
    const next = world.open()
    next.linked.start()
    await eventually(async () => (await world.store.contacts.get(world.senderId, RECIPIENT))?.known === true)
    await eventually(() => phone.pending.unconfirmed === 0)
  },
)

test('three hundred things that waited while the number was away all arrive', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  await run.linked.stop()
  const customer = world.peer.recipient(RECIPIENT)
  for (let n = 0; n < 300; n += 1) customer.postStatus()
  const next = world.open()
  next.linked.start()
  await next.state('connected')
  await eventually(() => phone.pending.unconfirmed === 0)
})

test('a line that takes messages for hours and brings no receipt is deaf; one receipt shows that it hears', async () => {
  const clock = createTestClock()
  let deaf = 0
  const line = createDeafLine(clock, 0, () => (deaf += 1))
  const take = async (count: number, apart: number) => {
    for (let n = 0; n < count; n += 1) {
      await clock.advance(apart)
      line.acknowledged()
    }
  }
  await take(20, 60_000)
  expect(deaf, 'not for so short a time').toBe(0)
  line.receipt()
  await take(9, HOUR)
  expect(deaf, 'not for so few').toBe(0)
  await take(1, HOUR)
  expect(deaf).toBe(1)
})

test('a line that does not bring what it announced within ten minutes is deaf', async () => {
  const clock = createTestClock()
  let deaf = 0
  const line = createDeafLine(clock, 0, () => (deaf += 1))
  const info = (tag: string) => line.info({ tag: 'ib', attrs: {}, content: [{ tag, attrs: {} }] })
  info('offline_preview')
  info('offline')
  await clock.advance(HOUR)
  expect(deaf).toBe(0)
  info('offline_preview')
  await clock.advance(10 * 60_000)
  expect(deaf).toBe(1)
})

test('a line that stays deaf is opened again ever more rarely, up to once a day', async () => {
  const clock = createTestClock()
  const at: number[] = []
  const line = createDeafLine(clock, 0, () => at.push(clock.now()))
  const start = clock.now()
  for (let n = 0; n < 10; n += 1) {
    line.info({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_preview', attrs: {} }] })
    const before = at.length
    while (at.length === before) await clock.advance(10 * 60_000)
  }
  const waits = at.map((time, n) => (time - (at[n - 1] ?? start)) / 60_000)
  expect(waits).toEqual([10, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440])
})

test('a line that takes messages and stays deaf is opened again each day at least', async () => {
  const clock = createTestClock()
  const at: number[] = []
  const line = createDeafLine(clock, 0, () => at.push(clock.now()))
  const start = clock.now()
  while (at.length < 6) {
    await clock.advance(HOUR)
    for (let n = 0; n < 10; n += 1) line.acknowledged()
  }
  expect(at.map((time, n) => (time - (at[n - 1] ?? start)) / HOUR)).toEqual([5, 4, 8, 16, 24, 24])
})
