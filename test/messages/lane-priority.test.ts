import { describe, expect, test } from 'vitest'
import { startLanes } from '../support/lane.ts'
import { UNKNOWN } from '../support/scripted-channel.ts'

const HOUR = 3_600_000
const evening = new Date(2026, 10, 21, 21, 59, 50).getTime()

describe('a priority', () => {
  test('high passes what waits, low waits while others are due; inside one the order stays', async () => {
    const lane = await startLanes()
    lane.script.ready = false
    await lane.accept('low 1', { priority: 'low' })
    await lane.accept('normal 1')
    await lane.accept('low 2', { priority: 'low' })
    await lane.accept('normal 2', { delay: 1 })
    await lane.accept('high 1', { priority: 'high' })
    await lane.accept('high 2', { priority: 'high' })
    await lane.accept('tomorrow', { priority: 'high', delay: 86_400 })
    await lane.pass(1_000)
    lane.script.ready = true
    lane.wake()
    await lane.pass(1_000)
    expect(lane.bodies()).toEqual(['high 1', 'high 2', 'normal 1', 'normal 2', 'low 1', 'low 2'])
  })

  test('after 1,000 low ones a high one leaves within one pacing interval', async () => {
    const lane = await startLanes({ settings: { pacing: { min_seconds: 2, max_seconds: 5 } } })
    for (let n = 0; n < 1_000; n += 1) await lane.accept(`low ${n}`, { priority: 'low' })
    await lane.pass(20_000)
    const before = lane.sent.length
    expect(before).toBeGreaterThan(3)
    const accepted = lane.clock.now()
    await lane.accept('code 4711', { priority: 'high' })
    await lane.pass(5_000, 100)
    const code = lane.sent.find(({ body }) => body === 'code 4711')
    expect((code?.at ?? Number.POSITIVE_INFINITY) - accepted).toBeLessThanOrEqual(5_000)
    expect(lane.bodies().slice(0, before)).toEqual(Array.from({ length: before }, (_, n) => `low ${n}`))
  })

  test('high waits like all others for the owner, quiet hours and the cap of the day', async () => {
    const night = await startLanes({ start: evening, settings: { quiet_hours: { from: '22:00', to: '07:00' } } })
    await night.pass(20_000)
    await night.accept('high', { priority: 'high' })
    await night.pass(8 * HOUR, 60_000)
    expect(night.bodies()).toEqual([])
    const capped = await startLanes({ settings: { daily_cap: 1 } })
    await capped.accept('normal')
    await capped.pass(1_000)
    await capped.accept('high', { priority: 'high' })
    await capped.pass(1_000)
    expect(capped.bodies()).toEqual(['normal'])
  })

  test('what is tried again goes before the others of its priority, not before higher ones', async () => {
    const lane = await startLanes()
    let fails = 1
    lane.script.outcome = () => (fails-- > 0 ? UNKNOWN : { kind: 'acknowledged' })
    await lane.accept('low again', { priority: 'low' })
    await lane.pass(1_000)
    lane.script.ready = false
    await lane.accept('low next', { priority: 'low' })
    await lane.accept('high', { priority: 'high' })
    await lane.pass(60_000)
    lane.script.ready = true
    lane.wake()
    await lane.pass(1_000)
    expect(lane.bodies().slice(1)).toEqual(['high', 'low again', 'low next'])
  })
})

describe('a message whose time is over', () => {
  test('ends when it is over, also behind others and while nothing can leave', async () => {
    const lane = await startLanes()
    lane.script.ready = false
    await lane.accept('long')
    const code = await lane.accept('code', { ttl: 60 })
    await lane.pass(59_000)
    expect((await lane.message(code)).status).toBe('queued')
    await lane.pass(1_000)
    expect(await lane.message(code)).toMatchObject({ status: 'failed', error: { code: 'expired' }, nextAt: null })
    lane.script.ready = true
    lane.wake()
    await lane.pass(1_000)
    expect(lane.bodies()).toEqual(['long'])
  })

  test('never leaves after the PC slept', async () => {
    const lane = await startLanes()
    lane.run.lanes.suspend()
    const code = await lane.accept('code', { ttl: 60 })
    const later = await lane.accept('invoice')
    await lane.quiet()
    lane.clock.jump(HOUR)
    lane.run.lanes.resume()
    await lane.pass(2_000)
    expect(await lane.message(code)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
    expect((await lane.message(later)).status).toBe('sent')
    expect(lane.bodies()).toEqual(['invoice'])
  })

  test('is not claimed where its file took too long', async () => {
    const arrived = Promise.withResolvers<void>()
    const lane = await startLanes({
      media: {
        prefetch: () => undefined,
        release: async () => undefined,
        async take() {
          await arrived.promise
          return {
            path: '/nowhere',
            kind: 'document',
            mimetype: 'application/pdf',
            fileName: 'a.pdf',
            size: 1,
            sha256: 'ab',
          }
        },
      },
    })
    const id = await lane.accept('caption', { file: 'http://files.example/a.pdf', ttl: 30 })
    await lane.pass(14_000)
    lane.clock.jump(17_000)
    arrived.resolve()
    await lane.pass(1_000)
    expect(await lane.message(id)).toMatchObject({ status: 'failed', error: { code: 'expired' } })
    expect(lane.sent).toEqual([])
  })
})

test('what a sudden end left between an opt-out and its end of the queue does not leave', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const offer = await lane.accept('offer', { purpose: 'marketing' })
  const code = await lane.accept('code')
  const phone = (await lane.message(offer)).recipient
  await lane.run.store.suppressions.put({ phone, senderId: null, scope: 'marketing', source: 'api', at: 1 }, null)
  await lane.crash()
  lane.script.ready = true
  lane.wake()
  await lane.pass(1_000)
  expect(await lane.message(offer)).toMatchObject({ status: 'cancelled', error: { code: 'recipient_opted_out' } })
  expect((await lane.message(code)).status).toBe('sent')
  expect(lane.bodies()).toEqual(['code'])
})
