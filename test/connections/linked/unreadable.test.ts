import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { MOST_ASKED_OF_PHONE, MOST_UNREADABLE } from '../../../server/connections/linked/library/bounds.ts'
import { createUnreadable } from '../../../server/connections/linked/receiving/arrivals.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import type { Phone } from '../../support/whatsapp-peer/phone.ts'
import type { Recipient } from '../../support/whatsapp-peer/recipient.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

test('four hundred unreadable messages hold up nobody, and ask the owner’s phone a few times', async () => {
  const world = await createWorld()
  const texts: unknown[] = []
  const run = world.open({ onReceived: async ({ text }) => void texts.push(text) })
  await run.link()
  const stranger = world.peer.recipient('6281999999999')
  world.peer.journal.recording = true
  for (let n = 0; n < 400; n += 1) stranger.sendUnreadable(randomBytes(60))
  const customer = world.peer.recipient(RECIPIENT)
  await customer.send('STOP please')
  await eventually(() => texts.includes('STOP please'))
  // The library's own wait before it asks the phone is over when what came last was asked for.
  await eventually(() => world.peer.journal.messages.filter(({ to }) => to === OWNER).length === MOST_ASKED_OF_PHONE)
  const last = stranger.sendUnreadable(randomBytes(60))
  const answers = () => world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === last)
  await eventually(() => answers().length > 0)
  expect(answers(), 'confirmed as it is').toMatchObject([{ tag: 'ack', attrs: { class: 'message' } }])
  expect(answers()[0]?.attrs.error).toBeUndefined()
  expect(world.peer.journal.messages.filter(({ to }) => to === OWNER)).toHaveLength(MOST_ASKED_OF_PHONE)
})

const OF_NOBODY = {
  tag: 'message',
  attrs: { from: '1700000000@broadcast', participant: '', type: 'text' },
  content: [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, content: randomBytes(60) }],
}

test.each([
  ['is no message of a session', 1, (of: Recipient) => of.sendUnreadable(randomBytes(60))],
  ['holds nonsense', 0, (of: Recipient) => of.send(Buffer.from([0xff, 0xff, 0xff]))],
  ['is for a bot', 0, (of: Recipient) => of.sendToBot()],
  ['names a recipient', 0, (of: Recipient) => of.sendAsOwner()],
  ['comes from elsewhere', 0, (of: Recipient) => of.sendFromElsewhere()],
  ['is of a list and of nobody', 0, (_: Recipient, owner: Phone) => owner.post(OF_NOBODY)],
] as const)('what %s is confirmed plainly and keeps nothing back (asked again: %i)', async (_, asked, post) => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  world.peer.journal.recording = true
  const id = await post(world.peer.recipient(RECIPIENT), phone)
  const answers = () => world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(answers().map(({ tag, attrs }) => [tag, attrs.type === 'retry', attrs.error])).toEqual([
    ...Array.from({ length: asked }, () => ['receipt', true, undefined]),
    ['ack', false, undefined],
  ])
  await run.linked.stop()
  await world.peer.recipient(RECIPIENT).send('masih buka?')
  const texts: unknown[] = []
  const next = world.open({ onReceived: async ({ text }) => void texts.push(text) })
  next.linked.start()
  await eventually(() => texts.includes('masih buka?'))
  await eventually(() => phone.pending.unconfirmed === 0)
})

test('a message that stays unreadable is asked for five times', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  world.peer.journal.recording = true
  const id = customer.sendUnreadable(randomBytes(60))
  const answers = () => world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)
  for (let copies = 1; copies < 6; copies += 1) {
    await eventually(() => phone.pending.unconfirmed === 0)
    customer.repeat()
  }
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(answers().filter(({ attrs }) => attrs.type === 'retry')).toHaveLength(5)
})

test('a message that was opened before is confirmed plainly, and nobody is asked for it', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const customer = world.peer.recipient(RECIPIENT)
  await customer.send('halo')
  await eventually(() => phone.pending.unconfirmed === 0)
  world.peer.journal.recording = true
  const id = customer.repeat()
  await eventually(() => phone.pending.unconfirmed === 0)
  expect(world.peer.journal.stanzas.filter(({ attrs }) => attrs.id === id)).toMatchObject([{ tag: 'ack' }])
})

test('a request that the owner’s phone has answered counts once', () => {
  const { requests } = createUnreadable(createTestClock())
  const isAllowed = (id: string) => requests.get(id) === undefined
  for (let n = 0; n < MOST_ASKED_OF_PHONE; n += 1) {
    expect(isAllowed(`${n}`)).toBe(true)
    requests.set(`${n}`, true)
    requests.del(`${n}`)
    // The library looks whether an answer came.
    requests.get(`${n}`)
  }
  expect(isAllowed('more')).toBe(false)
})

test('after too many unreadable messages a device is not read for the rest of the minute', async () => {
  const clock = createTestClock()
  const unreadable = createUnreadable(clock)
  for (let n = 1; n < MOST_UNREADABLE; n += 1) unreadable.count('a')
  expect(unreadable.isTooMany('a')).toBe(false)
  unreadable.count('a')
  expect(unreadable.isTooMany('a')).toBe(true)
  expect(unreadable.isTooMany('b')).toBe(false)
  await clock.advance(60_000)
  expect(unreadable.isTooMany('a')).toBe(false)
})
