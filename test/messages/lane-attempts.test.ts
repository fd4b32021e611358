import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cancelMessage } from '../../server/messages/actions.ts'
import { writtenTo } from '../../server/messages/groups.ts'
import { startLanes } from '../support/lane.ts'
import { ACKNOWLEDGED, OFFLINE, UNKNOWN } from '../support/scripted-channel.ts'

const DAY = 24 * 3_600_000

test('never acknowledged: five attempts over about ten minutes bear one id, then the message fails', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('hello?')
  await lane.pass(3_600_000, 5_000)
  expect(lane.sent).toHaveLength(5)
  expect(new Set(lane.sent.map(({ whatsappId }) => whatsappId)).size).toBe(1)
  const [first, last] = [lane.sent[0]?.at ?? 0, lane.sent[4]?.at ?? 0]
  expect((last - first) / 60_000).toBeCloseTo(7.6, 0)
  expect(await lane.message(id)).toMatchObject({
    status: 'failed',
    attempts: 5,
    nextAt: null,
    error: { code: 'not_acknowledged' },
    providerMessageId: lane.sent[0]?.whatsappId,
  })
  expect((await lane.attempts(id)).map(({ outcome }) => outcome)).toEqual(Array(5).fill('unknown'))
})

test('offline uses up no attempt, and the lane goes on when the connection is back', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => {
    lane.script.ready = false
    return OFFLINE
  }
  const id = await lane.accept('one')
  const second = await lane.accept('two')
  for (let n = 0; n < 12; n += 1) {
    await lane.pass(60_000, 10_000)
    lane.script.ready = true
    lane.wake()
  }
  await lane.quiet()
  expect(lane.sent.length).toBeGreaterThan(5)
  expect(await lane.message(id)).toMatchObject({ status: 'queued', attempts: 0 })
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  lane.script.ready = true
  lane.wake()
  await lane.quiet()
  expect(await lane.message(id)).toMatchObject({ status: 'sent', attempts: 1 })
  expect(await lane.message(second)).toMatchObject({ status: 'sent', attempts: 1 })
  expect(lane.bodies().slice(-2)).toEqual(['one', 'two'])
})

test('a channel that is ready and yet finds no connection is not asked at full speed', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => OFFLINE
  await lane.accept('one')
  await lane.quiet()
  await lane.pass(60_000)
  expect(lane.sent.length).toBeLessThanOrEqual(14)
  lane.script.check = () => OFFLINE
  const before = lane.run.counts.decisions
  await lane.pass(60_000)
  expect(lane.run.counts.decisions - before).toBeLessThanOrEqual(40)
  lane.script.check = () => 'go'
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  const sent = lane.sent.length
  await lane.pass(5_000)
  expect(lane.sent.length).toBe(sent + 1)
})

test('an offline sender keeps its messages for seven days, then they expire', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const id = await lane.accept('waiting')
  const later = await lane.accept('due later', { delay: 86_400 })
  await lane.pass(7 * DAY - 1_000, 3_600_000)
  expect((await lane.message(id)).status).toBe('queued')
  await lane.pass(1_000)
  expect(await lane.message(id)).toMatchObject({ status: 'failed', attempts: 0, error: { code: 'expired' } })
  expect((await lane.message(later)).status, 'seven days from when it was due').toBe('queued')
  await lane.pass(DAY, 3_600_000)
  expect((await lane.message(later)).error?.code).toBe('expired')
})

test('a paused sender keeps its messages just as long', async () => {
  const lane = await startLanes()
  await lane.change({ paused: true })
  const id = await lane.accept('waiting')
  await lane.pass(7 * DAY, 3_600_000)
  expect((await lane.message(id)).error?.code).toBe('expired')
})

test('what was tried before the long wait is not said to have never left', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => {
    lane.script.ready = false
    return UNKNOWN
  }
  const id = await lane.accept('maybe')
  await lane.pass(7 * DAY, 3_600_000)
  expect(await lane.message(id)).toMatchObject({ status: 'failed', error: { code: 'not_acknowledged' } })
})

test('a message in flight does not expire; its outcome counts', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const id = await lane.accept('just in time')
  await lane.pass(7 * DAY - 1_000, 3_600_000)
  lane.script.ready = true
  lane.script.outcome = () => 'hold'
  lane.wake()
  await lane.pass(600_000, 10_000)
  expect((await lane.message(id)).status).toBe('sending')
  lane.land({ kind: 'acknowledged' })
  await lane.quiet()
  expect((await lane.message(id)).status).toBe('sent')
})

test('cancelled in the queue it never leaves; on its way it is too late', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const gone = await lane.accept('on its way')
  const waiting = await lane.accept('waiting', { delay: 60 })
  await lane.quiet()
  await expect(cancelMessage(lane.run.messaging, gone)).rejects.toMatchObject({ code: 'message_not_cancellable' })
  await cancelMessage(lane.run.messaging, waiting)
  await lane.pass(120_000)
  expect(lane.bodies()).toEqual(['on its way'])
  expect((await lane.message(waiting)).status).toBe('cancelled')
  await expect(cancelMessage(lane.run.messaging, waiting)).rejects.toMatchObject({ code: 'message_not_cancellable' })
})

test('cancelled while the lane asks about the number: nothing leaves', async () => {
  const lane = await startLanes()
  const asked = Promise.withResolvers<'go'>()
  lane.script.check = () => asked.promise
  const id = await lane.accept('changed my mind')
  await lane.quiet()
  await cancelMessage(lane.run.messaging, id)
  asked.resolve('go')
  await lane.quiet()
  expect(lane.sent).toEqual([])
  expect(await lane.message(id)).toMatchObject({ status: 'cancelled', attempts: 0 })
})

test('a race of cancelling and claiming has one winner', async () => {
  const lane = await startLanes()
  for (let n = 0; n < 40; n += 1) {
    const id = await lane.accept(`${n}`)
    const cancelled = await cancelMessage(lane.run.messaging, id).then(
      () => true,
      () => false,
    )
    await lane.quiet()
    expect(lane.bodies().includes(`${n}`)).toBe(!cancelled)
    expect((await lane.message(id)).status).toBe(cancelled ? 'cancelled' : 'sent')
  }
})

test('a number that is not on WhatsApp fails without being sent', async () => {
  const lane = await startLanes()
  lane.script.check = () => ({ kind: 'refused', code: 'recipient_not_on_whatsapp' })
  const id = await lane.accept('nobody')
  await lane.quiet()
  expect(lane.sent).toEqual([])
  expect(await lane.message(id)).toMatchObject({
    status: 'failed',
    attempts: 0,
    providerMessageId: null,
    error: { code: 'recipient_not_on_whatsapp' },
  })
})

test('an unanswered question makes the message step aside; the lane goes on', async () => {
  const lane = await startLanes()
  lane.script.check = (message) => (message.body === 'odd' ? UNKNOWN : 'go')
  const odd = await lane.accept('odd')
  await lane.accept('even')
  await lane.quiet()
  expect(lane.bodies()).toEqual(['even'])
  expect(await lane.message(odd)).toMatchObject({ status: 'queued', attempts: 0 })
  lane.script.check = () => 'go'
  await lane.pass(5_000)
  expect(lane.bodies()).toEqual(['even', 'odd'])
})

test('a receipt that comes before the next attempt settles the message without a repeat', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('hello')
  await lane.pass(1_000)
  await lane.run.record.report({ id }, { status: 'delivered', at: lane.clock.now() })
  await lane.pass(3_600_000, 30_000)
  expect(lane.sent).toHaveLength(1)
  expect(await lane.message(id)).toMatchObject({ status: 'delivered', error: null })
})

test.each([1, 2])(
  'of attempt %i too it is told in order what became of it, however soon receipts follow',
  async (n) => {
    const lane = await startLanes()
    lane.script.outcome = () => (lane.sent.length < n ? UNKNOWN : 'hold')
    const id = await lane.accept('hello')
    await lane.pass(10_000)
    expect([lane.sent.length, lane.inFlight()]).toEqual([n, 1])
    const { seq, senderId, providerMessageId } = await lane.message(id)
    lane.land(ACKNOWLEDGED)
    await setImmediate()
    const report = (status: 'delivered' | 'read') =>
      lane.run.record.report({ senderId, providerMessageId: providerMessageId ?? '' }, { status, at: lane.clock.now() })
    await Promise.all([report('delivered'), report('read')])
    await lane.quiet()
    expect(await lane.message(id)).toMatchObject({ status: 'read', attempts: n, error: null })
    const told = await lane.run.store.events.ofMessage(seq)
    expect(told.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.read'])
    expect((await lane.attempts(id)).map(({ outcome }) => outcome)).toEqual([
      ...Array(n - 1).fill('unknown'),
      'acknowledged',
    ])
  },
)

test('a receipt that comes after the message was given up still counts', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('hello')
  await lane.pass(3_600_000, 30_000)
  expect((await lane.message(id)).status).toBe('failed')
  for (const status of ['sent', 'read', 'sent'] as const)
    await lane.run.record.report({ id }, { status, at: lane.clock.now() })
  expect(await lane.message(id)).toMatchObject({ status: 'read', error: null })
  const events = await lane.run.store.events.ofMessage((await lane.message(id)).seq)
  expect(events.map(({ type }) => type)).toEqual(['message.failed', 'message.sent', 'message.read'])
})

test('so does that of one member of a group: WhatsApp has the message', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('hello', { phone: undefined, group: '120363000000000101@g.us' })
  const at = lane.clock.now()
  await lane.run.record.change({ id }, (message) => writtenTo(message, [['1@lid'], ['2@lid']], at))
  await lane.pass(3_600_000, 30_000)
  expect((await lane.message(id)).status).toBe('failed')
  const report = (member: string) => lane.run.record.report({ id }, { status: 'delivered', at, member: [member] })
  await report('2@lid')
  expect(await lane.message(id)).toMatchObject({ status: 'sent', error: null })
  await report('1@lid')
  expect(await lane.message(id)).toMatchObject({ status: 'delivered' })
})

test('a receipt during the flight wins over the silence', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('hello')
  await lane.quiet()
  await lane.run.record.report({ id }, { status: 'delivered', at: lane.clock.now() })
  lane.land(UNKNOWN)
  await lane.pass(600_000, 10_000)
  expect(lane.sent).toHaveLength(1)
  expect((await lane.message(id)).status).toBe('delivered')
})

test('what may have left through another number is not sent a second time by the one of now', async () => {
  const lane = await startLanes()
  lane.script.outcome = (message) => (message.body === 'here' ? OFFLINE : UNKNOWN)
  const doubted = await lane.accept('perhaps there')
  await lane.quiet()
  const kept = await lane.accept('here')
  await lane.quiet()
  await lane.clock.advance(1)
  await lane.run.store.senders.change(1, () => ({ phone: '6282222222222', phoneSince: lane.clock.now() }))
  lane.script.outcome = () => ACKNOWLEDGED
  await lane.pass(60_000)
  expect(lane.bodies().filter((body) => body === 'perhaps there')).toHaveLength(1)
  expect(await lane.message(doubted)).toMatchObject({ status: 'failed', error: { code: 'not_acknowledged' } })
  expect(await lane.message(kept)).toMatchObject({ status: 'sent' })
})

test('a clock that was set back since the number changed keeps no message from another attempt', async () => {
  const lane = await startLanes()
  await lane.run.store.senders.change(1, () => ({ phone: '6282222222222', phoneSince: lane.clock.now() + DAY }))
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('perhaps there')
  await lane.quiet()
  lane.script.outcome = () => ACKNOWLEDGED
  await lane.pass(60_000)
  expect(await lane.message(id)).toMatchObject({ status: 'sent', attempts: 2 })
})
