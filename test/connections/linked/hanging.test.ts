import { randomBytes } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { stanza } from '../../support/whatsapp-peer/stanza.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const CUSTOMER = `${RECIPIENT}@s.whatsapp.net`
const STRANGER = '6285700000099@s.whatsapp.net'

test.each(['unmigrated', 'migrated'] as const)(
  'what comes in is answered while WhatsApp answers no look-up (%s account)',
  async (kind) => {
    const world = await createWorld()
    const heard: object[] = []
    const run = world.open({ onReceived: async (received) => void heard.push(received) })
    const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind }))
    world.peer.faults.neverAnswer('usync usync')
    world.peer.journal.recording = true
    const unreadable = phone.post(
      stanza('message', { from: STRANGER, type: 'text' }, [stanza('enc', { v: '2', type: 'msg' }, randomBytes(60))]),
    )
    const readable = await world.peer.recipient(RECIPIENT).send('Ada stok?')
    const answersTo = (id: string) =>
      world.peer.journal.stanzas
        .filter(({ tag, attrs }: BinaryNode) => (tag === 'ack' || tag === 'receipt') && attrs.id === id)
        .map(({ tag, attrs }) => `${tag} ${attrs.type}`)
    await expect
      .poll(() => [answersTo(unreadable), answersTo(readable)])
      .toEqual([['receipt retry', 'ack text'], ['receipt inactive']])
    expect(heard).toContainEqual(expect.objectContaining({ from: RECIPIENT, text: 'Ada stok?' }))
    expect(phone.pending.unconfirmed).toBe(0)
  },
)

test.each([
  ['keys of a contact who has new ones', 'encrypt key', CUSTOMER, stanza('identity')],
  ['an upload of more keys', 'encrypt registration', S_WHATSAPP_NET, stanza('count', { value: '3' })],
] as const)('what comes in is answered while WhatsApp does not answer %s', async (_what, kind, from, about) => {
  const world = await createWorld()
  const run = world.open({ timeouts: { query: 600_000 } })
  const phone = await run.link()
  await run.send(await world.message('Ada'))
  const { faults, journal } = world.peer
  const before = journal.queries.get(kind) ?? 0
  faults.neverAnswer(kind)
  phone.post(stanza('notification', { type: 'encrypt', from }, [about]))
  await eventually(() => (journal.queries.get(kind) ?? 0) > before)
  phone.post(stanza('notification', { type: 'devices', from: CUSTOMER }, [stanza('update', { hash: 'abcd' })]))
  await expect.poll(() => phone.pending.unconfirmed).toBe(0)
})

test('a question that is open when WhatsApp ends the line ends with it', async () => {
  const world = await createWorld()
  const run = world.open({ timeouts: { query: 600_000 } })
  const phone = await run.link()
  const { faults, journal } = world.peer
  faults.neverAnswer('usync usync')
  const checked = run.linked.channel.check(await world.message('Ada'))
  await eventually(() => journal.lookUps.length > 0)
  phone.disconnect(503)
  expect(await checked).toEqual({ kind: 'offline' })
})

test('a contact with new keys gets the token of before once more', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  expect(await run.send(await world.message('Ada'))).toEqual({ kind: 'acknowledged' })
  const kept = () => world.store.sessions.keysOf(world.senderId, 'tctoken')
  await expect.poll(async () => (await kept()).length).toBeGreaterThan(0)
  const [first] = phone.issuedTokens
  phone.post(stanza('notification', { type: 'encrypt', from: CUSTOMER }, [stanza('identity')]))
  await eventually(() => phone.issuedTokens.length === 2)
  expect(phone.issuedTokens[1]).toEqual(first)
})

test('a session that a number began goes on when its hidden id becomes known', async () => {
  const world = await createWorld()
  const heard: { text?: string | null }[] = []
  const run = world.open({ onReceived: async (received) => void heard.push(received) })
  const phone = await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'unmigrated' }))
  const customer = world.peer.recipient(RECIPIENT)
  world.peer.journal.recording = true
  for (const withAlternative of [false, false, true, true]) {
    await customer.send('Ada stok?', undefined, { withAlternative })
    await eventually(() => phone.pending.unconfirmed === 0)
  }
  const message = await world.message('Ada')
  expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
  expect((await customer.next()).text).toBe('Ada')
  expect(customer.unreadable).toEqual([])
  expect(world.peer.journal.stanzas.filter(({ attrs }) => attrs.type === 'retry')).toEqual([])
})

test('what WhatsApp keeps of the phone’s settings is confirmed once, and never fetched', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const { journal, media } = world.peer
  const before = media.requests.length
  journal.recording = true
  const collection = stanza('collection', { name: 'regular_low', version: '3' })
  const id = phone.post(stanza('notification', { type: 'server_sync', from: 's.whatsapp.net' }, [collection]))
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(journal.stanzas.filter(({ attrs }) => attrs.id === id)).toMatchObject([
    { tag: 'ack', attrs: { class: 'notification', type: 'server_sync' } },
  ])
  expect(journal.queries.get('w:sync:app:state sync')).toBeUndefined()
  expect(media.requests.length).toBe(before)
})
