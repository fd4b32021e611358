import { expect, test } from 'vitest'
import { startLinked, startSender } from '../support/reported-states.ts'

test('linking is reported once, with the members of the contract', async () => {
  const { clock, reported, report } = await startLinked()
  await report('connected')
  expect(await reported()).toEqual([
    {
      type: 'sender.linked',
      data: {
        sender_code: 'SND-1',
        name: 'Shop',
        kind: 'linked',
        state: 'connected',
        reason: null,
        until: null,
        new_chats: null,
        occurred_at: new Date(clock.now()).toISOString(),
      },
    },
  ])
})

test('a break of less than a minute is not reported', async () => {
  const { clock, report, types, written } = await startLinked()
  await report('offline', 'connection_lost')
  await clock.advance(59_999)
  await report('connected')
  await clock.advance(600_000)
  await written()
  expect(await types()).toEqual(['sender.linked'])
})

test('a minute without a connection is reported, although tries to connect go on', async () => {
  const { clock, report, reported, types, written } = await startLinked()
  for (let tries = 0; tries < 12; tries += 1) {
    await report('offline', 'connection_lost')
    await clock.advance(2_500)
    await report('connecting')
    await clock.advance(2_500)
  }
  await written()
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected'])
  expect((await reported())[1]?.data).toMatchObject({ sender_code: 'SND-1', kind: 'linked' })
  await report('offline')
  await clock.advance(3_600_000)
  await written()
  expect(await types()).toHaveLength(2)
  await report('connected')
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected', 'sender.linked'])
})

test.each([
  ['replaced', ['sender.disconnected']],
  ['restricted', ['sender.disconnected', 'sender.restricted']],
  ['logged_out', ['sender.unlinked']],
  ['unlinked', ['sender.unlinked']],
] as const)('%s is reported at once as %s', async (state, expected) => {
  const { report, types, reported } = await startLinked()
  await report(state, 'why')
  await report(state, 'why')
  expect(await types()).toEqual(['sender.linked', ...expected])
  expect((await reported())[1]?.data).toMatchObject({ state, reason: 'why' })
})

test.each(['lock', 'cap'] as const)(
  'a %s on new chats is reported with its end, and again when it is over',
  async (heldBy) => {
    const { note, types, reported, clock } = await startLinked()
    const until = clock.now() + 90_000
    const newChats = { used: 40, total: 40, resetsAt: null, warning: 'capped' as const }
    await note({ firstContacts: { heldBy, until, newChats } })
    await note({ firstContacts: { heldBy, until: until + 1_000, newChats } })
    expect(await types()).toEqual(['sender.linked', 'sender.restricted'])
    expect((await reported())[1]?.data).toMatchObject({
      until: new Date(until).toISOString(),
      new_chats: { used: 40, warning: 'capped' },
    })
    await note({ firstContacts: { heldBy: null, until: null, newChats: null } })
    expect(await types()).toEqual(['sender.linked', 'sender.restricted', 'sender.unrestricted'])
  },
)

test('a hold on new chats after wrong numbers is not reported as a restriction by WhatsApp', async () => {
  const { note, types, clock } = await startLinked()
  await note({ firstContacts: { heldBy: 'wrong_numbers', until: clock.now() + 3_600_000, newChats: null } })
  expect(await types()).toEqual(['sender.linked'])
})

test('unlinked after a long break is reported as well', async () => {
  const { clock, report, types, written } = await startLinked()
  await report('offline')
  await clock.advance(61_000)
  await written()
  await report('logged_out', 'unlinked_on_phone')
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected', 'sender.unlinked'])
})

test('a number that was never linked reports nothing when its code expires', async () => {
  const { clock, report, types } = await startSender()
  for (let tries = 0; tries < 3; tries += 1) {
    await report('linking')
    await clock.advance(300_000)
    await report('unlinked', 'qr_expired')
  }
  expect(await types()).toEqual([])
})

test('a sandbox that was away for a moment is not reported as linked', async () => {
  const { clock, report, types } = await startSender('sandbox')
  await report('offline')
  await clock.advance(30_000)
  await report('connected')
  expect(await types()).toEqual([])
})

test('a restart reports nothing, unless there is no connection afterwards', async () => {
  const { clock, report, restart, types, written } = await startLinked()
  await restart()
  await report('connecting')
  await report('connected')
  expect(await types()).toEqual(['sender.linked'])
  await restart()
  await report('connecting')
  await clock.advance(60_000)
  await written()
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected'])
})

test('closing leaves no timer that would write into a closed file', async () => {
  const { clock, report, restart, types, written } = await startLinked()
  await report('offline')
  await restart()
  await clock.advance(600_000)
  await written()
  expect(await types()).toEqual(['sender.linked'])
})

test('a state that could not be stored is stored and reported as soon as possible', async () => {
  const { clock, full, report, store, types, written } = await startLinked()
  await full(true)
  await report('logged_out', 'unlinked_on_phone')
  await report('linking')
  expect(store.senders.byCode('SND-1')?.state).toBe('connected')
  await clock.advance(60_000)
  await full(false)
  await clock.advance(5_000)
  await written()
  expect(store.senders.byCode('SND-1')).toMatchObject({ state: 'linking', announced: 'sender.unlinked' })
  expect(await types()).toEqual(['sender.linked', 'sender.unlinked'])
})

test('the newest states of a flapping connection are kept while the disk takes no writes', async () => {
  const { clock, full, report, store, types, written } = await startLinked()
  await full(true)
  for (let n = 0; n < 150; n += 1) await report(n % 2 === 0 ? 'offline' : 'connecting')
  await report('replaced', 'elsewhere')
  await full(false)
  await clock.advance(5_000)
  for (let n = 0; n < 20; n += 1) await written()
  expect(store.senders.byCode('SND-1')).toMatchObject({ state: 'replaced', reason: 'elsewhere' })
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected'])
})

test('the end of a break is reported after a restart too', async () => {
  const { clock, report, restart, types, written } = await startLinked()
  await report('offline', 'connection_lost')
  await clock.advance(60_000)
  await written()
  await restart()
  await report('connecting')
  await clock.advance(60_000)
  await written()
  expect(await types(), 'not twice').toEqual(['sender.linked', 'sender.disconnected'])
  await report('connected')
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected', 'sender.linked'])
})

test('a break that could not be stored is reported as soon as the disk takes writes', async () => {
  const { clock, full, report, types, written } = await startLinked()
  await report('offline')
  await full(true)
  await clock.advance(61_000)
  await full(false)
  await clock.advance(5_000)
  await written()
  expect(await types()).toEqual(['sender.linked', 'sender.disconnected'])
})

test('a sender that two windows delete at once is reported as unlinked once', async () => {
  const { store, types } = await startLinked()
  const id = store.senders.byCode('SND-1')?.id ?? 0
  const event = { type: 'sender.unlinked', senderCode: 'SND-1', at: 1, data: {} } as const
  await Promise.all([store.senders.remove(id, 1, event), store.senders.remove(id, 1, event)])
  expect(await types()).toEqual(['sender.linked', 'sender.unlinked'])
})
