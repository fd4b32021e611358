import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proto } from 'baileys'
import { describe, expect, test } from 'vitest'
import { HISTORY_PORTION } from '../../../server/connections/linked/library/bounds.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { eventually } from '../../support/eventually.ts'
import type { AccountOptions } from '../../support/whatsapp-peer/index.ts'
import { createWorld, OWNER, RECIPIENT, type World } from './world.ts'

const SECRET = 'Tolong kirim ke rumah saya di Jalan Kenanga'

/** All bytes of the data folder. */
const onDisk = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )

/** Somebody who had a chat with the shop before, trusts it, and takes messages from nobody else. */
function customer({ peer }: World) {
  const recipient = peer.recipient(RECIPIENT)
  recipient.demandsToken = true
  return recipient
}

const known = async ({ store, senderId }: World): Promise<boolean> =>
  (await store.contacts.get(senderId, RECIPIENT))?.known === true

describe.each(['in a file', 'in the message itself'])('the history of the phone, %s', (where) => {
  test('makes old customers known, brings their tokens and timers, and leaves no text on the disk', async () => {
    const world = await createWorld()
    const { lid, issueToken } = customer(world)
    // Before the link, so that no notification brings it.
    issueToken(OWNER)
    const run = world.open()
    const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'migrated', history: 'withheld' }))
    const token = phone.tokenOf(RECIPIENT)
    await phone.sendHistory(
      {
        chats: [
          {
            ...{ id: `${lid}@lid`, pnJid: `${RECIPIENT}@s.whatsapp.net`, lastMessageAt: 1_790_000_000, token },
            ...{ timer: { seconds: 86_400, setAt: 1_790_000_000 }, texts: [SECRET] },
          },
        ],
      },
      { inline: where !== 'in a file' },
    )
    await eventually(() => known(world))
    expect(await world.store.contacts.get(world.senderId, RECIPIENT)).toMatchObject({
      timer: 86_400,
      lastMessageAt: 1_790_000_000_000,
    })
    await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'tctoken')).length > 0)
    await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'history-notice')).length === 0)
    await world.written()
    expect(onDisk(world.home).includes(SECRET)).toBe(false)
    expect(world.printed.join('')).not.toContain(SECRET)
    // No look-up is needed of somebody who is known.
    const asked = () => world.peer.journal.lookUps.filter(({ protocols }) => protocols.includes('contact')).length
    const before = asked()
    expect(await run.send(await world.message('Pesanan siap'))).toEqual({ kind: 'acknowledged' })
    expect(asked()).toBe(before)
    expect(world.peer.journal.messages.at(-1)).toMatchObject({ address: `${lid}@lid`, token: 'tctoken' })
  })
})

test('an address that WhatsApp has changed since stays, whatever an older history says', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'migrated' }))
  const recipient = world.peer.recipient(RECIPIENT)
  const former = recipient.lid
  const send = async (text: string) => {
    expect(await run.send(await world.message(text))).toEqual({ kind: 'acknowledged' })
    return world.peer.journal.messages.at(-1)?.address
  }
  expect(await send('satu')).toBe(`${former}@lid`)
  recipient.changeLid()
  await eventually(async () => (await send('dua')) === `${recipient.lid}@lid`)
  const lastMessageAt = 1_790_000_000
  await phone.sendHistory({
    chats: [
      { id: `${former}@lid`, pnJid: `${RECIPIENT}@s.whatsapp.net`, lastMessageAt },
      { id: '6281234567891@s.whatsapp.net', lastMessageAt },
    ],
  })
  await eventually(async () => (await world.store.contacts.get(world.senderId, '6281234567891'))?.known === true)
  await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'history-notice')).length === 0)
  expect(await send('tiga')).toBe(`${recipient.lid}@lid`)
})

test('a chunk that comes without an end is given up after ten minutes, and read by the next run', async () => {
  const world = await createWorld()
  const after = (ms: number, work: () => void) => systemClock.after(ms === 600_000 ? 100 : ms, work)
  const run = world.open({ clock: { ...systemClock, after } })
  const phone = await run.link()
  world.peer.media.misbehave((_, response) => void response.writeHead(200).write('x'))
  await phone.sendHistory({ chats: [{ id: `${RECIPIENT}@s.whatsapp.net`, lastMessageAt: 1_790_000_000 }] })
  await eventually(() => world.printed.some((line) => line.includes('no answer within 600 seconds')))
  await run.linked.stop()
  world.peer.media.misbehave()
  const next = world.open()
  next.linked.start()
  await eventually(() => known(world))
})

test('a chunk that comes when another account is linked already makes nobody known to that one', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  let answer = (): void => undefined
  world.peer.media.misbehave((request, response) => {
    answer = () => void response.writeHead(200).end(world.peer.media.file(String(request.url).split('?')[0] ?? ''))
  })
  const asked = world.peer.media.requests.length
  await phone.sendHistory({ chats: [{ id: `${RECIPIENT}@s.whatsapp.net`, lastMessageAt: 1_790_000_000 }] })
  await eventually(() => world.peer.media.requests.length > asked)
  const other = await run.link({ method: 'qr' }, world.peer.phone('6281100000002'))
  world.peer.media.misbehave()
  answer()
  // Read after the first one.
  await other.sendHistory({ chats: [{ id: '6281234567891@s.whatsapp.net', lastMessageAt: 1_790_000_000 }] })
  await eventually(async () => (await world.store.contacts.get(world.senderId, '6281234567891'))?.known === true)
  expect(await known(world)).toBe(false)
})

test('a chunk that was announced before the program was killed is read by the next run', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  world.peer.refuseMedia(503)
  await phone.sendHistory({ chats: [{ id: `${RECIPIENT}@s.whatsapp.net`, lastMessageAt: 1_790_000_000 }] })
  await eventually(async () => (await world.store.sessions.keysOf(world.senderId, 'history-notice')).length === 1)
  // The phone does not send it again.
  await eventually(() => phone.pending.unconfirmed === 0)
  await run.linked.stop()
  world.peer.refuseMedia(undefined)
  const next = world.open()
  next.linked.start()
  await next.state('connected')
  await eventually(() => known(world))
})

test('fifty megabytes of history are read beside the messages that leave meanwhile', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  await run.send(await world.message('sebelum'))
  const chats = Array.from({ length: 500 }, (_, n) => ({
    id: `62812${100_000 + n}@s.whatsapp.net`,
    lastMessageAt: 1_790_000_000,
    texts: [SECRET],
  }))
  await phone.sendHistory({ chats, atLeast: 50 * 1024 * 1024 })
  expect(await run.send(await world.message('sementara'))).toEqual({ kind: 'acknowledged' })
  const last = '62812100499'
  await eventually(async () => (await world.store.contacts.get(world.senderId, last))?.known === true)
  await world.written()
  expect(onDisk(world.home).includes(SECRET)).toBe(false)
})

test('a long history is learnt in portions', async () => {
  const world = await createWorld()
  const { sessions } = world.store
  let most = 0
  const run = world.open({
    sessions: {
      ...sessions,
      setKeys(senderId, values) {
        most = Math.max(most, values.length)
        return sessions.setKeys(senderId, values)
      },
    },
  })
  const phone = await run.link()
  most = 0
  const pairs = Array.from({ length: 5 * HISTORY_PORTION }, (_, n) => ({
    pnJid: `${628_000_000_000 + n}@s.whatsapp.net`,
    lidJid: `${200_000_000_000_000 + n}@lid`,
  }))
  const chats = pairs.map(({ lidJid: id }) => ({ id, token: { bytes: Buffer.alloc(16, 1), at: 1_790_000_000 } }))
  await phone.sendHistory({ pairs, chats })
  const learnt = async (type: string) => (await sessions.keysOf(world.senderId, type)).length
  await eventually(async () => (await learnt('tctoken')) >= chats.length)
  await eventually(async () => (await learnt('history-notice')) === 0)
  expect(await learnt('lid-mapping')).toBeGreaterThanOrEqual(2 * pairs.length)
  // Two values for each pair, and what else is written at the same time.
  expect(most).toBeLessThan(3 * HISTORY_PORTION)
})

describe('a link that was made only now', () => {
  async function newLink(options: AccountOptions = {}) {
    const world = await createWorld()
    const { lid, issueToken } = customer(world)
    // Before the link, so that no notification brings it.
    issueToken(OWNER)
    let later = 0
    const clock = { ...systemClock, now: () => Date.now() + later }
    const run = world.open({ clock })
    const account = { kind: 'migrated', history: 'withheld', ...options } as const
    const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, account))
    const chat = { id: `${lid}@lid`, pnJid: `${RECIPIENT}@s.whatsapp.net`, token: phone.tokenOf(RECIPIENT) }
    const pass = (ms: number) => {
      later += ms
    }
    return { ...world, run, phone, chat, pass, clock }
  }

  test('writes to nobody before the chats of the phone were read, and then to a customer with the token', async () => {
    const { run, phone, chat, message, peer } = await newLink()
    const pesan = await message('Pesanan siap')
    expect(await run.linked.channel.check(pesan)).toMatchObject({ kind: 'wait' })
    // Names are no chats.
    await phone.sendHistory({ type: proto.HistorySync.HistorySyncType.PUSH_NAME }, { inline: true })
    await eventually(() => phone.pending.unconfirmed === 0)
    expect(await run.linked.channel.check(pesan)).toMatchObject({ kind: 'wait' })
    await phone.sendHistory({ chats: [chat] })
    await run.held(({ until }) => until === null)
    expect(await run.send(pesan)).toEqual({ kind: 'acknowledged' })
    expect(peer.journal.messages).toMatchObject([{ token: 'tctoken' }])
  })

  test('waits for a phone that is off no longer than a minute, also over a restart', async () => {
    const { run, message, open, pass, clock } = await newLink()
    await run.linked.stop()
    const next = open({ clock })
    next.linked.start()
    await next.state('connected')
    const pesan = await message('Pesanan siap')
    expect(await next.linked.channel.check(pesan)).toMatchObject({ kind: 'wait' })
    pass(60_000)
    expect(await next.linked.channel.check(pesan)).not.toMatchObject({ kind: 'wait' })
  })

  test('holds what WhatsApp refuses until it is ten minutes old, also over a restart, and then no more', async () => {
    const { run, message, open, pass, clock, written } = await newLink()
    pass(60_000)
    const pesan = await message('Pesanan siap')
    const held = await run.send(pesan)
    expect(held).toMatchObject({ kind: 'held', reason: '463' })
    if (held.kind !== 'held' || held.until === null) throw new Error('it is held until a time')
    await run.held(({ heldBy, until }) => heldBy === 'new_link' && until === held.until)
    await written()
    await run.linked.stop()
    const next = open({ clock })
    next.linked.start()
    await next.state('connected')
    // Others would be refused as well, and each counts at WhatsApp.
    const other = await message('lain', { to: '6281234567899' })
    expect(await next.linked.channel.check(other)).toEqual({ kind: 'wait', until: held.until })
    pass(540_000)
    expect(await next.send(pesan)).toMatchObject({ kind: 'refused', code: 'account_restricted' })
  })

  test('is not new for longer where the clock is set back', async () => {
    const { run, message, pass } = await newLink()
    pass(-3_600_000)
    expect(await run.linked.channel.check(await message('halo'))).not.toMatchObject({ kind: 'wait' })
  })
})
