import { describe, expect, test } from 'vitest'
import { RECEIPT_PORTION } from '../../../server/connections/linked/library/bounds.ts'
import { readReceipt } from '../../../server/connections/linked/receiving/recording.ts'
import { twinId } from '../../../server/connections/linked/sending/content.ts'
import { DAY, systemClock } from '../../../server/lib/clock.ts'
import { StorageError } from '../../../server/lib/storage-error.ts'
import { turn } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { samples } from '../../support/samples.ts'
import { stanza } from '../../support/whatsapp-peer/stanza.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

describe('a receipt', () => {
  test('may speak of many messages, and of things that are no status', () => {
    const list = { tag: 'list', attrs: {}, content: [{ tag: 'item', attrs: { id: 'B' } }] }
    const read = { tag: 'receipt', attrs: { id: 'A', type: 'read', t: '1700000000' }, content: [list] }
    expect(readReceipt(read, 1_800_000_000_000)).toEqual([
      { providerMessageId: 'A', status: 'read', at: 1_700_000_000_999 },
      { providerMessageId: 'B', status: 'read', at: 1_700_000_000_999 },
    ])
    const users = [{ jid: '1@lid', t: '1700000001' }, {}, { jid: '2:3@lid' }].map((attrs) => ({ tag: 'user', attrs }))
    const of = (key: string) => ({ tag: 'participants', attrs: { key }, content: users })
    const gathered = {
      tag: 'receipt',
      attrs: { id: 'X', from: '3@g.us', t: '1700000000' },
      content: [of('A'), of('B')],
    }
    expect(readReceipt(gathered, 1_800_000_000_000)).toEqual(
      ['A', 'B'].flatMap((providerMessageId) => [
        { providerMessageId, status: 'delivered', at: 1_700_000_001_999, member: ['1@lid'] },
        { providerMessageId, status: 'delivered', at: 1_700_000_000_999, member: ['2@lid'] },
      ]),
    )
    expect(readReceipt({ tag: 'receipt', attrs: { id: 'A', type: 'retry' } }, 0)).toEqual([])
    expect(readReceipt({ tag: 'receipt', attrs: { id: 'A', type: 'played' } }, 7)).toEqual([
      { providerMessageId: 'A', status: 'read', at: 7 },
    ])
  })

  test.each(['number', 'lid'] as const)('from a %s gives the message its status', async (answersFrom) => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    world.peer.recipient(RECIPIENT).answersFrom = answersFrom
    const sent = await world.message('halo')
    await run.send(sent)
    for (const status of ['sent', 'delivered', 'read'] as const) await run.reported(sent.providerMessageId, status)
    expect((await world.store.messages.find({ seq: sent.seq }))?.status).toBe('read')
  })

  test('of very many messages is recorded piece by piece', async () => {
    const world = await createWorld()
    let [under, most, recorded] = [0, 0, 0]
    const run = world.open({
      async onStatus() {
        under += 1
        most = Math.max(most, under)
        await turn()
        under -= 1
        recorded += 1
      },
    })
    const phone = await run.link()
    const items = Array.from({ length: 1_000 }, (_, n) => stanza('item', { id: `A${n}` }))
    const from = `${RECIPIENT}@s.whatsapp.net`
    phone.post(stanza('receipt', { from, type: 'read' }, [stanza('list', {}, items)]))
    await eventually(() => phone.pending.unconfirmed === 0)
    expect(recorded).toBe(1_001)
    expect(most).toBeLessThanOrEqual(RECEIPT_PORTION)
  })

  test('that came while the program was off is reported at the next start', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    const recipient = world.peer.recipient(RECIPIENT)
    recipient.receipts = 'none'
    const sent = await world.message('halo')
    await run.send(sent)
    await recipient.next()
    await run.linked.stop()
    recipient.deliver(sent.providerMessageId)
    recipient.read(sent.providerMessageId)
    const next = world.open()
    next.linked.start()
    await next.reported(sent.providerMessageId, 'delivered')
    await next.reported(sent.providerMessageId, 'read')
  })

  test('that could not be stored comes again', async () => {
    const world = await createWorld()
    const refused = Promise.withResolvers<void>()
    const run = world.open({
      async onStatus({ status }) {
        if (status === 'delivered') refused.resolve()
        throw new Error('the disk is full')
      },
    })
    await run.link()
    const sent = await world.message('halo')
    await run.send(sent)
    await refused.promise
    await run.linked.stop()
    const next = world.open()
    next.linked.start()
    await next.reported(sent.providerMessageId, 'delivered')
  })
})

test('a receipt that an unforeseen error keeps from being stored is tried again over the same connection', async () => {
  const world = await createWorld()
  const failures = { delivered: 2, read: 2 } as Record<string, number>
  const run = world.open({
    clock: { ...systemClock, after: (ms, work) => systemClock.after(ms === 5_000 ? 0 : ms, work) },
    async onStatus(report) {
      const left = failures[report.status] ?? 0
      failures[report.status] = left - 1
      if (left > 0) throw new Error('FOREIGN KEY constraint failed')
      await world.record.report({ providerMessageId: report.providerMessageId, senderId: world.senderId }, report)
    },
  })
  await run.link()
  const sent = await world.message('halo')
  await run.send(sent)
  await eventually(async () => (await world.store.messages.find({ seq: sent.seq }))?.status === 'read')
  expect(world.peer.journal.logins).toHaveLength(1)
})

test('a receipt that could not be stored for a while is stored over the same connection', async () => {
  const world = await createWorld()
  let refusals = 3
  const run = world.open({
    // The pause after a storage error.
    clock: { ...systemClock, after: (ms, work) => systemClock.after(ms === 5_000 ? 0 : ms, work) },
    async onStatus(report) {
      if (refusals-- > 0) throw new StorageError('no_server', 'db.example')
      await world.record.report({ providerMessageId: report.providerMessageId, senderId: world.senderId }, report)
    },
  })
  await run.link()
  const sent = await world.message('halo')
  await run.send(sent)
  await eventually(async () => (await world.store.messages.find({ seq: sent.seq }))?.status === 'read')
  expect(world.peer.journal.logins).toHaveLength(1)
})

describe('a recipient who could not read a message', () => {
  test('gets it again after a restart', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    const recipient = world.peer.recipient(RECIPIENT)
    const sent = await world.message('baca ini')
    await run.send(sent)
    const first = await recipient.next()
    await run.linked.stop()
    const next = world.open()
    next.linked.start()
    await next.state('connected')
    recipient.askRetry(sent.providerMessageId)
    expect(await recipient.next()).toMatchObject({
      id: sent.providerMessageId,
      text: 'baca ini',
      content: first.content,
    })
  })

  test('gets the text before an audio again, too', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    const recipient = world.peer.recipient(RECIPIENT)
    const sent = await world.message('dengar', { file: 'https://example.com/a' })
    await run.send(sent, await world.file('audio', samples.mp3, 'audio/mpeg', 'a.mp3'))
    await recipient.messages()
    await run.linked.stop()
    const next = world.open()
    next.linked.start()
    await next.state('connected')
    recipient.askRetry(twinId(sent.providerMessageId))
    await world.peer.journal.arrived(3)
    expect(await recipient.messages()).toMatchObject([
      { type: 'text' },
      { type: 'audio' },
      { type: 'text', text: 'dengar' },
    ])
  })
})

describe.each([
  ['unmigrated', 'lid', 's.whatsapp.net'],
  ['migrated', 'number', 'lid'],
] as const)('from an account that is %s', (kind, other, server) => {
  async function sent() {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind }))
    const recipient = world.peer.recipient(RECIPIENT)
    const message = await world.message('baca ini')
    await run.send(message)
    await recipient.next()
    return { ...world, phone, recipient, id: message.providerMessageId }
  }

  test('a recipient who asks by the other form gets a message again, in that of the account', async () => {
    const { recipient, id, peer } = await sent()
    recipient.answersFrom = other
    recipient.askRetry(id)
    expect(await recipient.next()).toMatchObject({ id, text: 'baca ini' })
    expect(peer.journal.messages.map(({ address }) => address.split('@')[1])).toEqual([server, server])
  })

  test.each([true, false])('so does the phone of the owner (by LID: %s), and nobody else', async (byLid) => {
    const { phone, recipient, id, peer } = await sent()
    phone.askRetry(id, byLid)
    await peer.journal.arrived(2)
    const [first, again] = (await phone.copies()).filter((copy) => copy.id === id)
    const message = { extendedTextMessage: { text: 'baca ini' } }
    expect(first?.raw).toMatchObject({ deviceSentMessage: { message } })
    expect(again?.raw).toEqual(first?.raw)
    expect(await recipient.messages()).toHaveLength(1)
    expect(peer.journal.messages.at(-1)?.address.split('@')[1]).toBe(server)
  })
})

describe('a recipient who could not read that a message is deleted', () => {
  test.each(['unmigrated', 'migrated'] as const)('gets it again, also after a restart (%s account)', async (kind) => {
    const world = await createWorld()
    const run = world.open()
    const phone = world.peer.phone(OWNER, { kind })
    await run.link({ method: 'qr' }, phone)
    const recipient = world.peer.recipient(RECIPIENT)
    const sent = await world.message('salah kirim')
    await run.send(sent)
    expect(await run.linked.channel.revoke?.(sent)).toEqual({ kind: 'acknowledged' })
    const [, deletion] = await recipient.messages()
    await run.linked.stop()
    const next = world.open()
    next.linked.start()
    await next.state('connected')
    recipient.askRetry(deletion?.id ?? '')
    await world.peer.journal.arrived(3)
    const [, , again] = await recipient.messages()
    expect(again).toMatchObject({ id: deletion?.id, content: deletion?.content })
    for (let arrived = 4; arrived <= 7; arrived += 1) {
      recipient.askRetry(deletion?.id ?? '')
      await world.peer.journal.arrived(arrived)
    }
    // All of them are confirmed, or WhatsApp would keep back what comes after.
    await expect.poll(() => phone.pending.unconfirmed).toBe(0)
    expect(again?.content.protocolMessage?.key).toMatchObject({ id: sent.providerMessageId, fromMe: true })
  })
})

test('a message that was deleted for everyone is not given out again', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  const sent = await world.message('salah kirim')
  await run.send(sent)
  expect(await run.linked.channel.revoke?.(sent)).toEqual({ kind: 'acknowledged' })
  await world.record.change({ seq: sent.seq }, () => ({ at: Date.now(), revoked: true }))
  const [, deletion] = await recipient.messages()
  recipient.askRetry(sent.providerMessageId)
  await expect.poll(() => phone.pending.unconfirmed).toBe(0)
  // Answered in their order: by then the first one was.
  recipient.askRetry(deletion?.id ?? '')
  await world.peer.journal.arrived(3)
  const copies = await recipient.messages()
  expect(copies.map(({ id }) => id)).toEqual([sent.providerMessageId, deletion?.id, deletion?.id])
})

test('a message of another number that was linked before is not given out by this one', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  const former = await world.message('dari nomor lama')
  await run.send(former)
  const own = await world.message('dari nomor ini')
  await run.send(own)
  const phoneSince = (await world.store.messages.attempts(own.seq))[0]?.at ?? 0
  await world.store.senders.change(world.senderId, () => ({ phoneSince }))
  for (const { providerMessageId } of [former, own]) recipient.askRetry(providerMessageId)
  await world.peer.journal.arrived(3)
  await expect.poll(() => phone.pending.unconfirmed).toBe(0)
  expect((await recipient.messages()).map(({ text }) => text)).toEqual([
    'dari nomor lama',
    ...Array(2).fill('dari nomor ini'),
  ])
})

describe('somebody who writes first', () => {
  test.each(['number', 'lid'] as const)('from a %s is a known contact, also when the program was off', async (from) => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    const known = Promise.withResolvers<string>()
    const recipient = world.peer.recipient(RECIPIENT)
    recipient.answersFrom = from
    await run.linked.stop()
    await recipient.send('Ada stok?', OWNER)
    const next = world.open({
      contacts: {
        ...world.store.contacts,
        async learn(senderId, chats) {
          await world.store.contacts.learn(senderId, chats)
          for (const { phone } of chats) known.resolve(phone)
        },
      },
    })
    next.linked.start()
    expect(await known.promise).toBe(RECIPIENT)
    const reply = await world.message('Ada')
    expect(await next.linked.channel.isFirstContact(reply)).toBe(false)
    await next.state('connected')
    expect(await next.send(reply)).toEqual({ kind: 'acknowledged' })
  })
})

test('a known contact that writes is not forgotten as one of whom nothing was heard', async () => {
  const { store, senderId, peer, open } = await createWorld()
  const run = open()
  await run.link()
  await store.contacts.learn(senderId, [{ phone: RECIPIENT, lastMessageAt: Date.now() - 400 * DAY, timer: null }])
  await peer.recipient(RECIPIENT).send('Masih buka?', OWNER)
  await eventually(async () => {
    const contact = await store.contacts.get(senderId, RECIPIENT)
    return (contact?.lastMessageAt ?? 0) > Date.now() - DAY
  })
})

describe('what a customer writes', () => {
  test('is WhatsApp’s until it is written down here: a crash before that loses nothing', async () => {
    const world = await createWorld()
    const asked = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    const run = world.open({
      async onReceived() {
        asked.resolve()
        await never.promise
      },
    })
    const phone = await run.link()
    const customer = world.peer.recipient(RECIPIENT)
    await customer.send('Masih ada?')
    await asked.promise
    expect(phone.pending.unconfirmed).toBeGreaterThan(0)
    await run.linked.stop()
    const received: (string | null)[] = []
    const next = world.open({ onReceived: async ({ text }) => void received.push(text) })
    next.linked.start()
    await eventually(() => phone.pending.unconfirmed === 0)
    expect(new Set(received)).toEqual(new Set(['Masih ada?']))
    // The step of the session was made once: what comes next in it can be read, and is written to.
    await customer.send('Halo?')
    await eventually(() => received.includes('Halo?'))
    expect(await next.send(await world.message('Masih'))).toEqual({ kind: 'acknowledged' })
    never.resolve()
  })

  test.each(['number', 'lid'] as const)('from a %s and not written down comes again', async (from) => {
    const world = await createWorld()
    const received: (string | null)[] = []
    let fails = 1
    const run = world.open({
      async onReceived({ text }) {
        if (fails > 0) {
          fails -= 1
          throw new Error('the disk is full')
        }
        received.push(text)
      },
    })
    await run.link()
    const customer = world.peer.recipient(RECIPIENT)
    customer.answersFrom = from
    await customer.send('Masih ada?')
    await eventually(() => fails === 0)
    await run.linked.stop()
    const next = world.open({ onReceived: async ({ text }) => void received.push(text) })
    next.linked.start()
    await next.state('connected')
    await eventually(() => received.includes('Masih ada?'))
  })

  test('and could not be written down for a while is asked for by nobody, and answered once', async () => {
    const world = await createWorld()
    const received: (string | null)[] = []
    let fails = 2
    const run = world.open({
      clock: { ...systemClock, after: (ms, work) => systemClock.after(ms === 5_000 ? 0 : ms, work) },
      async onReceived({ text }) {
        if (fails-- > 0) throw new Error('the disk is full')
        received.push(text)
      },
    })
    const phone = await run.link()
    world.peer.journal.recording = true
    const id = await world.peer.recipient(RECIPIENT).send('Masih ada?')
    await eventually(() => phone.pending.unconfirmed === 0)
    expect(received).toContain('Masih ada?')
    const answers = world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)
    expect(answers).toMatchObject([{ tag: 'receipt', attrs: { type: 'inactive' } }])
    expect(world.peer.journal.logins).toHaveLength(1)
  })

  test('and cannot be written down here has no answer, and comes again with the next connection', async () => {
    const world = await createWorld()
    const received: (string | null)[] = []
    let fails = 1
    const run = world.open({
      async onReceived({ text }) {
        if (fails-- > 0) throw new StorageError('not_holder', 'db.example')
        received.push(text)
      },
    })
    const phone = await run.link()
    world.peer.journal.recording = true
    const id = await world.peer.recipient(RECIPIENT).send('Masih ada?')
    await eventually(() => received.includes('Masih ada?'))
    await eventually(() => phone.pending.unconfirmed === 0)
    const answers = world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)
    expect(answers).toMatchObject([{ tag: 'receipt', attrs: { type: 'inactive' } }])
    expect(world.peer.journal.logins).toHaveLength(2)
  })
})

test('a message of a customer on which our own code fails is confirmed, and the line stays', async () => {
  const world = await createWorld()
  const received: (string | null)[] = []
  const run = world.open({
    async onReceived({ text }) {
      if (text === 'poison') throw new TypeError('a fault of ours')
      received.push(text)
    },
  })
  const phone = await run.link()
  world.peer.recipient(RECIPIENT)
  await world.peer.recipient(RECIPIENT).send('poison')
  await eventually(() => phone.pending.unconfirmed === 0)
  await world.peer.recipient(RECIPIENT).send('Masih ada?')
  await eventually(() => received.includes('Masih ada?'))
  expect(world.peer.journal.logins).toHaveLength(1)
})

test.each(['by LID', 'by number', 'by number and LID', 'to a bot', 'to a bot by number'] as const)(
  'what the owner writes on the phone %s is confirmed once, for its chat',
  async (how) => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    world.peer.recipient(RECIPIENT)
    const contextInfo = { expiration: 86_400 }
    await phone.write(RECIPIENT, { extendedTextMessage: { text: 'siap', contextInfo } }, how)
    await eventually(() => phone.pending.unconfirmed === 0)
    if (how.startsWith('to a bot')) return
    await eventually(async () => (await world.store.contacts.get(world.senderId, RECIPIENT))?.timer === 86_400)
  },
)

test('a copy of what the owner wrote that cannot be read is asked for, and confirmed plainly', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  world.peer.recipient(RECIPIENT)
  world.peer.journal.recording = true
  const id = await phone.write(RECIPIENT, {}, 'by number', { unreadable: true })
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)).toMatchObject([
    { tag: 'receipt', attrs: { type: 'retry' } },
    { tag: 'ack', attrs: { class: 'message' } },
  ])
})
