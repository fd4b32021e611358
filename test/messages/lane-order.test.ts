import { expect, test } from 'vitest'
import type { Outcome } from '../../server/messages/channel.ts'
import { createLaneQueue } from '../../server/messages/lane-queue.ts'
import { eventually } from '../support/eventually.ts'
import { startLanes } from '../support/lane.ts'
import { ACKNOWLEDGED, createScriptedChannel, OFFLINE, RESTRICTED, UNKNOWN } from '../support/scripted-channel.ts'

const DAY = 24 * 3_600_000
const evening = new Date(2026, 10, 21, 21, 59, 50).getTime()

test('messages leave by due time, then in order of arrival', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  await lane.accept('late', { delay: 2 })
  await lane.accept('first')
  await lane.accept('second')
  await lane.accept('between', { delay: 1 })
  lane.script.ready = true
  lane.wake()
  await lane.pass(3_000)
  expect(lane.bodies()).toEqual(['first', 'second', 'between', 'late'])
})

test('where each write has a commit of its own one attempt is counted at a time; else several share one', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const rows = await Promise.all(
    (await Promise.all(['first', 'second'].map((body) => lane.accept(body)))).map(lane.message),
  )
  const { store, context } = lane.run
  const [head] = rows
  const [sender] = store.senders.list()
  if (head === undefined || sender === undefined) throw new Error('nothing was accepted')
  const { channel } = createScriptedChannel(lane.clock.now)
  const known = { ...channel, isFirstContact: async () => false }
  const batchOf = (claimedAtOnce?: number) =>
    createLaneQueue(
      { ...context, claimedAtOnce },
      { senderId: sender.id, channel: known, isHeld: () => false },
      () => new Map(),
    ).batchOf(head, rows, sender, lane.clock.now())
  expect((await batchOf()).map(({ body }) => body)).toEqual(['first', 'second'])
  expect((await batchOf(1)).map(({ body }) => body)).toEqual(['first'])
})

test('what found no connection is first again, also where the line is back at once', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  lane.script.isFirstContact = () => false
  for (const body of ['one', 'two', 'three']) await lane.accept(body)
  let breaks = 1
  lane.script.outcome = () => (breaks-- > 0 ? OFFLINE : ACKNOWLEDGED)
  lane.script.ready = true
  lane.wake()
  await lane.pass(10_000)
  expect(lane.bodies()).toEqual(['one', 'one', 'two', 'three'])
})

test('what goes back while a later one is made ready is first again', async () => {
  const lane = await startLanes()
  lane.script.isFirstContact = () => false
  lane.script.outcome = () => 'hold'
  const one = await lane.accept('one')
  await lane.quiet()
  lane.script.outcome = () => ACKNOWLEDGED
  lane.script.check = async ({ body }) => {
    if (body === 'two' && lane.inFlight() > 0) {
      lane.land(OFFLINE)
      await eventually(async () => (await lane.message(one)).status === 'queued')
    }
    return 'go' as const
  }
  await lane.accept('two')
  await lane.pass(10_000)
  expect(lane.bodies()).toEqual(['one', 'one', 'two'])
})

test('what was on its way when the connection was lost goes first with the next one', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  lane.script.isFirstContact = () => false
  for (const body of ['one', 'two', 'three']) await lane.accept(body)
  let losses = 1
  const lost: Outcome = { kind: 'unknown', reason: 'the connection was lost', isLost: true }
  lane.script.outcome = () => (losses-- > 0 ? lost : ACKNOWLEDGED)
  lane.script.ready = true
  lane.wake()
  await lane.pass(60_000)
  expect(lane.bodies()).toEqual(['one', 'one', 'two', 'three'])
})

test('a lane that is shut is over when nothing is under way any more', async () => {
  const lane = await startLanes()
  lane.script.isFirstContact = () => false
  const [sender] = lane.run.store.senders.list()
  lane.script.outcome = () => 'hold'
  const id = await lane.accept('one')
  await lane.quiet()
  expect(lane.bodies()).toEqual(['one'])
  let isOver = false
  const shut = lane.run.lanes.shut(sender?.id ?? 0).then(() => {
    isOver = true
  })
  await lane.quiet()
  expect(isOver).toBe(false)
  lane.land(ACKNOWLEDGED)
  await shut
  expect((await lane.message(id)).status).toBe('sent')
})

test('a delay counts to the millisecond, also a fraction of a second', async () => {
  const lane = await startLanes()
  const accepted = lane.clock.now()
  const id = await lane.accept('soon', { delay: 1.25 })
  await lane.pass(1_249, 1)
  expect(lane.sent).toEqual([])
  expect((await lane.message(id)).status).toBe('queued')
  await lane.pass(1, 1)
  expect(lane.sent.map(({ at }) => at - accepted)).toEqual([1_250])
})

test('a delay of 30 days is waited for without deciding again and again', async () => {
  const lane = await startLanes()
  await lane.accept('in a month', { delay: 2_592_000 })
  await lane.quiet()
  const before = lane.run.counts.decisions
  await lane.pass(30 * DAY - 1_000, 3_600_000)
  expect(lane.sent).toEqual([])
  expect(lane.run.counts.decisions - before).toBeLessThanOrEqual(30 * 24 * 60)
  await lane.pass(1_000)
  expect(lane.bodies()).toEqual(['in a month'])
})

test('pacing lies between two messages, at random between its bounds', async () => {
  let chance = 0
  const lane = await startLanes({
    settings: { pacing: { min_seconds: 2, max_seconds: 5 } },
    random: () => (chance = (chance + 0.37) % 1),
  })
  for (let n = 0; n < 6; n += 1) await lane.accept(`${n}`)
  await lane.pass(30_000, 10)
  const gaps = lane.sent.slice(1).map(({ at }, i) => at - (lane.sent[i]?.at ?? 0))
  expect(lane.bodies()).toEqual(['0', '1', '2', '3', '4', '5'])
  expect(gaps.every((gap) => gap >= 2_000 && gap <= 5_010)).toBe(true)
  expect(new Set(gaps).size).toBeGreaterThan(1)
})

test('a restart does not burst: the pause goes on where it was', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 10, max_seconds: 10 } } })
  await lane.accept('one')
  await lane.accept('two')
  await lane.accept('three')
  await lane.pass(4_000)
  expect(lane.bodies()).toEqual(['one'])
  await lane.crash()
  await lane.pass(5_999, 1_000)
  expect(lane.bodies()).toEqual(['one'])
  await lane.pass(1)
  expect(lane.bodies()).toEqual(['one', 'two'])
})

test('shorter pacing counts at once', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 3600, max_seconds: 3600 } } })
  await lane.accept('one')
  await lane.accept('two')
  await lane.pass(1_000)
  expect(lane.bodies()).toEqual(['one'])
  await lane.change({ pacing: { min_seconds: 0, max_seconds: 0 } })
  await lane.quiet()
  expect(lane.bodies()).toEqual(['one', 'two'])
})

test('nothing leaves in quiet hours', async () => {
  const lane = await startLanes({ start: evening, settings: { quiet_hours: { from: '22:00', to: '07:00' } } })
  await lane.accept('before')
  await lane.quiet()
  await lane.pass(20_000)
  await lane.accept('at night')
  await lane.pass(9 * 3_600_000 - 30_000, 60_000)
  expect(lane.bodies()).toEqual(['before'])
  await lane.pass(20_000)
  expect(lane.bodies()).toEqual(['before', 'at night'])
  expect(new Date(lane.sent[1]?.at ?? 0).getHours()).toBe(7)
})

test('the cap of a day holds over a restart and opens at midnight', async () => {
  const lane = await startLanes({ start: evening, settings: { daily_cap: 2 } })
  for (const body of ['one', 'two', 'three', 'four', 'five']) await lane.accept(body)
  await lane.quiet()
  expect(lane.bodies()).toEqual(['one', 'two'])
  await lane.crash()
  await lane.pass(2 * 3_600_000, 60_000)
  expect(lane.bodies()).toEqual(['one', 'two'])
  await lane.pass(60_000)
  expect(lane.bodies()).toEqual(['one', 'two', 'three', 'four'])
})

test('what found no connection takes nothing from the cap of the day', async () => {
  const lane = await startLanes({ settings: { daily_cap: 2 } })
  let breaks = 3
  lane.script.outcome = () => (breaks-- > 0 ? { kind: 'offline' } : { kind: 'acknowledged' })
  await lane.accept('one')
  await lane.accept('two')
  await lane.pass(30_000)
  expect(new Set(lane.bodies())).toEqual(new Set(['one', 'two']))
  expect((await lane.run.store.sendingState.get(1)).sentOnDay).toBe(2)
})

test('a paused sender holds its messages, a resumed one goes on', async () => {
  const lane = await startLanes()
  await lane.change({ paused: true })
  const id = await lane.accept('held')
  await lane.pass(3_600_000, 60_000)
  expect((await lane.message(id)).status).toBe('queued')
  await lane.change({ paused: false })
  await lane.quiet()
  expect(lane.bodies()).toEqual(['held'])
})

test('lanes never wait for each other', async () => {
  const lane = await startLanes({ senders: 2 })
  const [stuck, free] = lane.channels
  const never = new Promise<'go'>(() => {})
  if (stuck) stuck.script.check = () => never
  await lane.accept('stuck', {}, 0)
  for (let n = 0; n < 5; n += 1) await lane.accept(`free ${n}`, {}, 1)
  await lane.quiet()
  expect(stuck?.bodies()).toEqual([])
  expect(free?.bodies()).toEqual(['free 0', 'free 1', 'free 2', 'free 3', 'free 4'])
})

test('without pacing a few are unacknowledged at once, written in order, and no more than the window', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  const bodies = Array.from({ length: 80 }, (_, n) => `${n}`)
  for (const body of bodies) await lane.accept(body)
  await lane.quiet()
  expect(lane.bodies()).toEqual(bodies.slice(0, 32))
  lane.land({ kind: 'acknowledged' })
  await lane.quiet()
  expect(lane.bodies()).toEqual(bodies.slice(0, 33))
  lane.script.outcome = () => ({ kind: 'acknowledged' })
  lane.land({ kind: 'acknowledged' }, true)
  await lane.quiet()
  expect(lane.bodies()).toEqual(bodies)
})

test('what leaves together overtakes nothing: first contacts and known ones keep their order', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  const phones = ['6281000000001', '6281000000002', '6281000000003', '6281000000004']
  lane.known.add('6281000000001')
  for (let n = 0; n < 24; n += 1) await lane.accept(`${n}`, { phone: phones[n % 4] ?? '' })
  lane.script.ready = true
  lane.wake()
  await lane.quiet()
  expect(lane.bodies()).toEqual(Array.from({ length: 24 }, (_, n) => `${n}`))
})

test('a message that waits for another try steps aside, and its turn comes before the queue', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 1, max_seconds: 1 } } })
  let silent = true
  lane.script.outcome = (message) => {
    if (message.body !== 'shy' || !silent) return { kind: 'acknowledged' }
    silent = false
    return UNKNOWN
  }
  await lane.accept('shy')
  for (let n = 0; n < 60; n += 1) await lane.accept(`${n}`)
  await lane.pass(8_000, 100)
  expect(lane.bodies().slice(0, 3)).toEqual(['shy', '0', '1'])
  expect(lane.bodies().lastIndexOf('shy')).toBeLessThanOrEqual(6)
  expect(lane.bodies().filter((body) => body === 'shy')).toHaveLength(2)
})

test('the clock is set back: the lane neither bursts nor stops', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 2, max_seconds: 5 } } })
  await lane.accept('one')
  await lane.quiet()
  lane.clock.jump(-DAY)
  await lane.accept('two')
  await lane.pass(5_000)
  expect(lane.bodies()).toEqual(['one', 'two'])
})

test('a message that fell due while the PC slept leaves within a minute', async () => {
  const lane = await startLanes()
  await lane.accept('at nine', { delay: 3_600 })
  await lane.quiet()
  // Timers stand still while the PC sleeps; the clock on the wall goes on.
  lane.clock.jump(7_200_000)
  await lane.pass(60_000)
  expect(lane.bodies()).toEqual(['at nine'])
})

test('a wake that comes while the lane decides is not lost', async () => {
  const lane = await startLanes()
  lane.script.check = (message) => {
    if (message.body === 'one') void lane.accept('two')
    return 'go'
  }
  await lane.accept('one')
  await lane.quiet()
  expect(lane.bodies()).toEqual(['one', 'two'])
})

test('an idle lane decides nothing; a wake costs a bounded number of decisions', async () => {
  const lane = await startLanes({ settings: { pacing: { min_seconds: 60, max_seconds: 60 } } })
  for (let n = 0; n < 50; n += 1) await lane.accept(`${n}`)
  await lane.quiet()
  const before = lane.run.counts.decisions
  for (let n = 0; n < 20; n += 1) {
    lane.wake()
    await lane.quiet()
  }
  expect(lane.run.counts.decisions - before).toBe(20)
})

test('a first contact that WhatsApp refuses waits with all others, known contacts go on, the guess grows', async () => {
  const lane = await startLanes()
  lane.known.add('6281000000001')
  let refuse = true
  lane.script.outcome = (message) =>
    refuse && !lane.known.has(message.recipient) ? RESTRICTED : { kind: 'acknowledged' }
  const refused = await lane.accept('stranger 1', { phone: '6281000000002' })
  await lane.quiet()
  const waiting = await lane.accept('stranger 2', { phone: '6281000000003' })
  const known = await lane.accept('friend', { phone: '6281000000001' })
  await lane.quiet()
  expect(await lane.message(refused)).toMatchObject({ status: 'queued', attempts: 0, error: null })
  expect((await lane.message(known)).status).toBe('sent')
  expect(await lane.message(waiting)).toMatchObject({ status: 'queued', attempts: 0 })
  expect((await lane.run.store.sendingState.get(1)).restrictedUntil - lane.clock.now()).toBe(3_600_000)

  await lane.pass(3_600_000, 60_000)
  expect(await lane.run.store.sendingState.get(1)).toMatchObject({
    restrictions: 2,
    restrictedUntil: lane.clock.now() + 7_200_000,
  })

  refuse = false
  await lane.pass(7_200_000, 60_000)
  for (const id of [refused, waiting]) expect((await lane.message(id)).status).toBe('sent')
  expect((await lane.run.store.sendingState.get(1)).restrictions, 'they are let in again').toBe(0)
})

test('first contacts that wait let known ones go first, and a question in place of a send is asked once', async () => {
  const lane = await startLanes()
  const until = lane.clock.now() + 90_000
  const asked: string[] = []
  lane.known.add('6281000000001')
  lane.script.check = ({ recipient }) => {
    if (lane.known.has(recipient)) return 'go'
    if (lane.clock.now() < until) return { kind: 'wait', until }
    if (asked.includes(recipient)) return 'go'
    asked.push(recipient)
    return 'again'
  }
  await lane.accept('stranger', { phone: '6281000000002' })
  await lane.accept('friend', { phone: '6281000000001' })
  await lane.quiet()
  expect(lane.bodies()).toEqual(['friend'])
  await lane.pass(89_000)
  expect(lane.bodies()).toEqual(['friend'])
  await lane.pass(1_000)
  expect(lane.bodies()).toEqual(['friend', 'stranger'])
})

test('a message whose reason to wait ends while its wait is written is not overtaken', async () => {
  const lane = await startLanes()
  let asked = 0
  lane.script.check = () => {
    asked += 1
    return asked === 1 ? { kind: 'wait', until: lane.clock.now() + 3_600_000 } : 'go'
  }
  await lane.accept('first')
  await lane.accept('second')
  await lane.quiet()
  expect(lane.bodies()).toEqual(['first', 'second'])
})

test('a restriction that meets several messages on their way counts once', async () => {
  const lane = await startLanes()
  lane.script.outcome = () => 'hold'
  for (let n = 0; n < 10; n += 1) await lane.accept(`${n}`, { phone: `628100000000${n}` })
  await lane.quiet()
  lane.land(RESTRICTED, true)
  await lane.quiet()
  expect(await lane.run.store.sendingState.get(1)).toMatchObject({
    restrictions: 1,
    restrictedUntil: lane.clock.now() + 3_600_000,
  })
})

test('what waits for a question in its place is not overtaken, also where many leave together', async () => {
  const lane = await startLanes()
  const asked: string[] = []
  lane.known.add('6281000000001')
  lane.script.check = ({ recipient }) => {
    if (lane.known.has(recipient) || asked.includes(recipient)) return 'go'
    asked.push(recipient)
    return 'again'
  }
  lane.script.ready = false
  for (const [body, phone] of [
    ['1', '6281000000001'],
    ['2', '6281000000002'],
    ['3', '6281000000001'],
    ['4', '6281000000001'],
  ] as const) {
    await lane.accept(body, { phone })
  }
  lane.script.ready = true
  lane.run.lanes.wake(1)
  await lane.pass(60_000)
  expect(lane.bodies()).toEqual(['1', '2', '3', '4'])
})

test.each(['the owner pauses it', 'the owner pauses all', 'the PC goes to sleep'])(
  'a message that is still being checked when %s does not leave, and no attempt is counted',
  async (what) => {
    const lane = await startLanes()
    const check = Promise.withResolvers<'go'>()
    lane.script.check = () => check.promise
    const id = await lane.accept('wait')
    await lane.quiet()
    if (what === 'the owner pauses it') await lane.change({ paused: true })
    if (what === 'the owner pauses all') lane.owner.allPaused = true
    if (what === 'the PC goes to sleep') lane.run.lanes.suspend()
    check.resolve('go')
    await lane.pass(60_000)
    expect(lane.sent).toEqual([])
    expect(await lane.message(id)).toMatchObject({ status: 'queued', attempts: 0 })

    lane.owner.allPaused = false
    lane.run.lanes.resume()
    await lane.change({ paused: false })
    await lane.pass(1_000)
    expect(lane.bodies()).toEqual(['wait'])
  },
)
