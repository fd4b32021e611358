import { expect, test } from 'vitest'
import { StorageError } from '../../server/lib/storage-error.ts'
import { MAX_WAITING } from '../../server/messages/accept.ts'
import { cancelMessage } from '../../server/messages/actions.ts'
import type { Outcome } from '../../server/messages/channel.ts'
import { startLanes } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'
import { UNKNOWN } from '../support/scripted-channel.ts'

test('a disk that is full before the send: nothing leaves, the lane goes on when there is room', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const id = await lane.accept('patience')
  lane.disk.full = true
  lane.script.ready = true
  lane.wake()
  const before = lane.run.counts.decisions
  await lane.pass(60_000)
  expect(lane.sent).toEqual([])
  expect(lane.run.counts.decisions - before, 'no storm of tries').toBeLessThanOrEqual(14)
  lane.disk.full = false
  await lane.pass(5_000)
  expect(lane.bodies()).toEqual(['patience'])
  expect(await lane.message(id)).toMatchObject({ status: 'sent', attempts: 1 })
})

test('a disk that is full after the send: the acknowledgement is kept in mind, nothing is sent twice', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('once only')
  await lane.quiet()
  lane.disk.full = true
  lane.land({ kind: 'acknowledged' })
  await lane.pass(3_600_000, 10_000)
  expect((await lane.message(id)).status).toBe('sending')
  lane.disk.full = false
  await lane.pass(5_000)
  expect(await lane.message(id)).toMatchObject({ status: 'sent', attempts: 1 })
  expect(lane.sent).toHaveLength(1)
})

test('a server that is lost as a second attempt begins takes nothing back from the first, which may have arrived', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('perhaps there')
  await lane.quiet()
  const { record } = lane.run
  const { change } = record
  record.change = () => Promise.reject(new StorageError('no_server', 'db.example'))
  await lane.pass(10_000)
  record.change = change
  lane.script.ready = false
  await lane.pass(10_000)
  expect(lane.sent).toHaveLength(1)
  expect(await lane.message(id)).toMatchObject({ status: 'sending', attempts: 1 })
  expect(await lane.attempts(id)).toMatchObject([{ number: 1, outcome: 'unknown' }])
})

test('what may have arrived is not denied where WhatsApp refuses it before its next attempt', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('perhaps there')
  await lane.quiet()
  lane.script.check = () => ({ kind: 'refused', code: 'not_in_group' })
  await lane.pass(10_000)
  expect(lane.sent).toHaveLength(1)
  expect(await lane.message(id)).toMatchObject({ status: 'failed', error: { code: 'not_acknowledged' } })
})

test('stopping with a full disk does not hang; the next start treats the message as unknown', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('once more')
  await lane.quiet()
  lane.disk.full = true
  lane.land({ kind: 'acknowledged' })
  await lane.quiet()
  const stopped = lane.run.lanes.stop(10_000)
  await lane.quiet()
  await stopped
  lane.disk.full = false
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  await lane.crash()
  expect(await lane.message(id)).toMatchObject({ status: 'sent', attempts: 2 })
  expect(new Set(lane.sent.map(({ whatsappId }) => whatsappId)).size).toBe(1)
})

test('after a crash an attempt that was under way is unknown: the same id is sent again, before all others', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const ids = [await lane.accept('one'), await lane.accept('two')]
  await lane.quiet()
  lane.script.ready = false
  await lane.accept('three')
  await lane.crash()
  for (const id of ids) {
    expect(await lane.message(id)).toMatchObject({ status: 'sending', attempts: 1 })
    expect(await lane.attempts(id)).toMatchObject([{ outcome: 'unknown', reason: 'Kurir was stopped in the middle' }])
  }
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  lane.script.ready = true
  lane.wake()
  await lane.quiet()
  expect(lane.bodies()).toEqual(['one', 'two', 'one', 'two', 'three'])
  expect(lane.sent.slice(2, 4).map(({ whatsappId }) => whatsappId)).toEqual(
    lane.sent.slice(0, 2).map(({ whatsappId }) => whatsappId),
  )
  expect(await lane.message(ids[0] ?? '')).toMatchObject({ status: 'sent', attempts: 2 })
})

test('after a crash with many on their way all of them come before the queue', async () => {
  const lane = await startLanes()
  lane.known.add('6281234567890')
  lane.script.outcome = () => 'hold'
  for (let n = 0; n < 60; n += 1) await lane.accept(`${n}`)
  await lane.quiet()
  expect(lane.sent).toHaveLength(32)
  await lane.pass(1_000)
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  await lane.crash()
  await lane.quiet()
  expect(lane.bodies().slice(32)).toEqual(Array.from({ length: 60 }, (_, n) => `${n}`))
})

test('two crashes in a row leave the order as it was', async () => {
  const lane = await startLanes()
  lane.known.add('6281234567890')
  lane.script.outcome = () => 'hold'
  for (let n = 0; n < 32; n += 1) await lane.accept(`${n}`)
  await lane.quiet()
  await lane.pass(1_000)
  // The second run dies when it has sent only the first sixteen again.
  let left = 16
  lane.script.check = () => (left-- > 0 ? 'go' : new Promise<'go'>(() => {}))
  await lane.crash()
  await lane.quiet()
  await lane.pass(1_000)
  lane.script.check = () => 'go'
  const before = lane.sent.length
  await lane.crash()
  await lane.quiet()
  expect(lane.bodies().slice(before)).toEqual(Array.from({ length: 32 }, (_, n) => `${n}`))
})

test('after a crash a receipt that comes first settles the message without a repeat', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('arrived')
  await lane.quiet()
  lane.script.ready = false
  await lane.crash()
  await lane.run.record.report({ id }, { status: 'delivered', at: lane.clock.now() })
  lane.script.ready = true
  lane.wake()
  await lane.pass(60_000)
  expect(lane.sent).toHaveLength(1)
  expect((await lane.message(id)).status).toBe('delivered')
})

test('a program that crashes at each attempt stops trying after five', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('poison')
  for (let n = 0; n < 8; n += 1) {
    await lane.pass(300_000, 5_000)
    await lane.crash()
  }
  expect(lane.sent).toHaveLength(5)
  expect(await lane.message(id)).toMatchObject({ status: 'failed', attempts: 5, error: { code: 'not_acknowledged' } })
})

test('a crash between two attempts changes nothing about the wait', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('again')
  await lane.pass(1_000)
  const before = await lane.message(id)
  await lane.crash()
  expect(await lane.message(id)).toEqual(before)
  expect(await lane.attempts(id)).toHaveLength(1)
})

test('stopping while a message is on its way waits for it and takes no other', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 1, max_seconds: 1 } } })
  lane.script.outcome = () => 'hold'
  const going = await lane.accept('going')
  const waiting = await lane.accept('waiting')
  await lane.quiet()
  let stopped = false
  const stop = lane.run.lanes.stop(10_000).then(() => {
    stopped = true
  })
  await lane.pass(5_000)
  expect(stopped).toBe(false)
  lane.land({ kind: 'acknowledged' })
  await stop
  expect((await lane.message(going)).status).toBe('sent')
  expect(await lane.message(waiting)).toMatchObject({ status: 'queued', attempts: 0 })
  expect(lane.bodies()).toEqual(['going'])
})

test('stopping while the lane asks about a number: the message is not claimed any more', async () => {
  const lane = await startLanes()
  const asked = Promise.withResolvers<'go'>()
  lane.script.check = () => asked.promise
  const id = await lane.accept('tomorrow')
  await lane.quiet()
  const stop = lane.run.lanes.stop(10_000)
  asked.resolve('go')
  await stop
  expect(lane.sent).toEqual([])
  expect(await lane.message(id)).toMatchObject({ status: 'queued', attempts: 0 })
})

test('stopping waits no longer than it may', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('silence')
  await lane.quiet()
  const stop = lane.run.lanes.stop(10_000)
  await lane.clock.advance(10_000)
  await stop
  expect((await lane.message(id)).status).toBe('sending')
})

test('100,000 may wait for a sender; the next is refused, and room is counted again after a restart', {
  timeout: 600_000,
}, async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const { store } = lane.run
  const at = lane.clock.now()
  const row = (n: number) => newRow({ id: `filled-${n}`, senderId: 1, createdAt: at, expiresAt: at + 7 * 86_400_000 })
  const rows = Array.from({ length: MAX_WAITING - 1 }, (_, n) => store.messages.accept(row(n), { unique: false }))
  await Promise.all(rows)
  await lane.accept('the last')
  await expect(lane.accept('too much')).rejects.toMatchObject({ code: 'queue_full', status: 503 })
  await lane.crash()
  await expect(lane.accept('too much')).rejects.toMatchObject({ code: 'queue_full' })
  await cancelMessage(lane.run.messaging, 'filled-7')
  await lane.accept('there is room')
  await expect(lane.accept('too much')).rejects.toMatchObject({ code: 'queue_full' })
})

test.each<[Outcome, string]>([
  [{ kind: 'not_sent', reason: 'no answer' }, 'recipient_opted_out'],
  [{ kind: 'unknown', reason: 'no acknowledgement' }, 'not_acknowledged'],
])(
  'advertising that is tried again after %j does not go to somebody who opted out meanwhile',
  async (outcome, code) => {
    const lane = await startLanes({})
    lane.script.outcome = () => outcome
    const ids = [await lane.accept('Promo', { purpose: 'marketing' }), await lane.accept('Invoice')]
    await lane.pass(1_000)
    const { recipient: phone, ...before } = await lane.message(ids[0] ?? '')
    expect(before).toMatchObject({ status: 'sending', attempts: 1 })
    await lane.run.store.suppressions.put({ phone, senderId: 1, scope: 'marketing', source: 'keyword', at: 0 }, 'SND-1')
    lane.script.outcome = () => ({ kind: 'acknowledged' })
    await lane.pass(60_000)
    expect(lane.bodies()).toEqual(['Promo', 'Invoice', 'Invoice'])
    expect(await lane.message(ids[0] ?? '')).toMatchObject({ status: 'failed', attempts: 1, error: { code } })
    expect((await lane.message(ids[1] ?? '')).status).toBe('sent')
  },
)
