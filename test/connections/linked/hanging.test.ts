import { randomBytes } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { stanza } from '../../support/whatsapp-peer/stanza.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

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
