import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PostResult } from '../../server/webhooks/attempt.ts'
import { startDeliverer } from '../support/deliverer.ts'
import { eventually } from '../support/eventually.ts'

const DEAD = 'http://127.0.0.1:9/'
const ALIVE = 'http://127.0.0.1:8/'

/** A receiver that never answers; the call ends when Kurir stops. */
const silence = (signal: AbortSignal | undefined): Promise<PostResult> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('10,000 callbacks for an unreachable endpoint neither delay another nor cost more per wake', async () => {
  const alive: string[] = []
  let refused = 0
  const box = await startDeliverer(async ({ url, headers, signal }) => {
    if (url === ALIVE) {
      alive.push(headers['webhook-id'] ?? '')
      return { status: 200, tookMs: 0 }
    }
    refused += 1
    if (refused > 400) return silence(signal)
    return { error: 'nothing listens there (ECONNREFUSED)', tookMs: 0 }
  })
  const dead = await box.endpoint(DEAD)
  const fine = await box.endpoint(ALIVE)
  await box.add(dead.id, 10_000)
  box.start()
  await box.add(fine.id, 20)
  box.bus.emit('deliveries', { endpointId: fine.id })
  await eventually(() => alive.length === 20)
  await eventually(() => refused === 408)
  const { reads, rows } = { ...box.counts }
  expect(reads, 'one look for each call that ended, at most').toBeLessThanOrEqual(440)
  expect(rows / reads, 'a look reads a handful of rows').toBeLessThanOrEqual(16)

  for (let n = 0; n < 10; n += 1) {
    box.bus.emit('deliveries', { endpointId: dead.id })
    await setImmediate()
  }
  expect(box.counts.reads - reads).toBeLessThanOrEqual(10)
  expect(box.counts.rows - rows).toBeLessThanOrEqual(160)
})

test('an endpoint keeps the time since which its callbacks fail, until one succeeds', async () => {
  let status = 500
  const box = await startDeliverer(async () => ({ status, tookMs: 0 }))
  const { id } = await box.endpoint(ALIVE)
  const began = box.clock.now()
  await box.add(id, 1)
  box.start()
  const failing = () => box.store.endpoints.get(id)?.failingSince
  await eventually(() => failing() === began)
  status = 503
  await box.clock.advance(60_000)
  await eventually(() => box.store.endpoints.get(id)?.lastErrorStatus === 503)
  expect(failing()).toBe(began)
  status = 200
  await box.clock.advance(3_600_000)
  await eventually(() => box.store.endpoints.get(id)?.lastError === null)
  expect(failing()).toBeNull()
})

test('the backlog of a receiver that was off goes out when the receiver takes a callback again', async () => {
  let result: PostResult = { error: 'nothing listens there', errorCode: 'connection_refused', tookMs: 0 }
  const taken = new Set<string>()
  const box = await startDeliverer(async ({ headers }) => {
    if (result.status === 200) taken.add(headers['webhook-id'] ?? '')
    return result
  })
  const { id } = await box.endpoint(ALIVE)
  const triesOf = async () => (await box.store.deliveries.list({ endpointId: id, limit: 50 })).map(({ tries }) => tries)
  await box.add(id, 20)
  box.start()
  // From the sixth attempt on, the next one is hours away.
  await eventually(async () => {
    await box.clock.advance(60_000)
    return (await triesOf()).every((tries) => tries >= 6)
  })
  result = { status: 200, tookMs: 0 }
  await box.add(id, 1)
  box.bus.emit('deliveries', { endpointId: id })
  await eventually(() => taken.size === 21)
})

test('the backlog of a receiver that was off for minutes keeps its waits', async () => {
  let result: PostResult = { error: 'nothing listens there', errorCode: 'connection_refused', tookMs: 0 }
  const box = await startDeliverer(async () => result)
  const { id } = await box.endpoint(ALIVE)
  const oldest = async () => (await box.store.deliveries.list({ endpointId: id, limit: 50 })).at(-1)
  await box.add(id, 1)
  const deliverer = box.start()
  // After the fourth attempt the next one is ten minutes away.
  await eventually(async () => {
    await box.clock.advance(1_000)
    return (await oldest())?.tries === 4
  })
  result = { status: 200, tookMs: 0 }
  await box.add(id, 1)
  box.bus.emit('deliveries', { endpointId: id })
  await eventually(() => box.store.endpoints.get(id)?.lastError === null)
  await deliverer.stop()
  expect((await oldest())?.nextAt).toBeGreaterThan(box.clock.now() + 60_000)
})

test('the backlog of a receiver that answered with an error keeps its waits', async () => {
  let status = 500
  const box = await startDeliverer(async () => ({ status, tookMs: 0 }))
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 1)
  const deliverer = box.start()
  await eventually(() => box.store.endpoints.get(id)?.lastErrorCode === 'answered')
  status = 200
  await box.add(id, 1)
  box.bus.emit('deliveries', { endpointId: id })
  await eventually(() => box.store.endpoints.get(id)?.lastError === null)
  await deliverer.stop()
  const [, oldest] = await box.store.deliveries.list({ endpointId: id, limit: 50 })
  expect(oldest?.nextAt).toBeGreaterThan(box.clock.now())
})

test('an error that was stored without a code gets a code and keeps its sentence', async () => {
  const box = await startDeliverer(async () => ({ status: 500, tookMs: 0 }))
  const { id } = await box.endpoint(ALIVE)
  await box.store.endpoints.change(id, () => ({ lastError: 'answered 500' }))
  expect(box.store.endpoints.get(id)).toMatchObject({ lastError: 'answered 500', lastErrorCode: null })
  await box.add(id, 1)
  box.start()
  await eventually(() => box.store.endpoints.get(id)?.lastErrorCode === 'answered')
  expect(box.store.endpoints.get(id)).toMatchObject({ lastError: 'answered 500', lastErrorStatus: 500 })
})

test('an idle deliverer reads once a minute at most, however far away the next try is', async () => {
  const box = await startDeliverer(async () => ({ status: 503, retryAfter: '86400', tookMs: 0 }))
  const { id } = await box.endpoint(DEAD)
  await box.add(id, 5)
  box.start()
  // Not by `due`, which claims on PostgreSQL: the deliverer would find nothing.
  const tried = () => box.store.deliveries.list({ endpointId: id, limit: 10 })
  await eventually(async () => (await tried()).every(({ tries }) => tries === 1))
  const { reads } = { ...box.counts }
  await box.clock.advance(20 * 3_600_000)
  expect(box.counts.reads - reads).toBeLessThanOrEqual(20 * 60 + 5)
})

test('the deliverer goes on after a failed read of the disk', async () => {
  let calls = 0
  const box = await startDeliverer(async () => {
    calls += 1
    return { status: 200, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 1)
  box.disk.broken = true
  box.start()
  await box.clock.advance(60_000)
  expect(calls).toBe(0)
  expect(box.logged.length).toBeGreaterThan(0)
  expect(box.logged.length, 'no storm').toBeLessThanOrEqual(14)
  box.disk.broken = false
  await box.clock.advance(5_000)
  await eventually(() => calls === 1)
})

test('a delivery that fell due while the PC slept goes out within a minute', async () => {
  const box = await startDeliverer(async () => ({ status: 500, tookMs: 0 }))
  const { id } = await box.endpoint(DEAD)
  await box.add(id, 1)
  box.start()
  const [row] = await box.store.deliveries.list({ endpointId: id, limit: 1 })
  const tries = async () => (await box.store.deliveries.get(row?.id ?? 0))?.tries ?? 0
  for (let n = 1; n <= 6; n += 1) {
    await eventually(async () => (await tries()) === n)
    await box.clock.advance(((await box.store.deliveries.get(row?.id ?? 0))?.nextAt ?? 0) - box.clock.now())
  }
  await eventually(async () => (await tries()) === 7)
  // The next one is hours away. Its timer stands still while the PC sleeps; only the clock on the wall goes on.
  box.clock.jump(6 * 3_600_000)
  await box.clock.advance(60_000)
  await eventually(async () => (await tries()) === 8)
})

test('calls that a stop interrupts leave no attempt behind', async () => {
  let begun = 0
  const box = await startDeliverer(({ signal }) => {
    begun += 1
    return silence(signal)
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 20)
  const deliverer = box.start()
  await eventually(() => begun === 8)
  await deliverer.stop()
  expect(begun).toBe(8)
  expect(await box.store.deliveries.due(id, box.clock.now(), 100)).toHaveLength(20)
  expect(box.logged).toEqual([])
})

test('a 410 from the old address does not switch off an endpoint with a new address', async () => {
  const answer = Promise.withResolvers<void>()
  const called: string[] = []
  const box = await startDeliverer(async ({ url }) => {
    called.push(url)
    if (url !== ALIVE) return { status: 200, tookMs: 0 }
    await answer.promise
    return { status: 410, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 1)
  box.start()
  await eventually(() => called.length === 1)
  await box.store.endpoints.change(id, () => ({ url: `${ALIVE}/new` }))
  answer.resolve()
  await eventually(async () => (await box.store.deliveries.list({ limit: 1 }))[0]?.state === 'delivered')
  expect(called).toEqual([ALIVE, `${ALIVE}/new`])
  expect(box.store.endpoints.get(id)).toMatchObject({ enabled: true, disabledReason: null, lastError: null })
})

test('failures of the old address do not count for the new address', async () => {
  const answer = Promise.withResolvers<void>()
  const called: string[] = []
  const box = await startDeliverer(async ({ url }) => {
    called.push(url)
    if (url !== ALIVE) return { status: 200, tookMs: 0 }
    await answer.promise
    // The next try would be a day away.
    return { status: 503, retryAfter: '86400', tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 1)
  box.start()
  await eventually(() => called.length === 1)
  await box.store.endpoints.change(id, () => ({ url: `${ALIVE}/new` }))
  const errors: (string | null)[] = []
  box.bus.on('webhook', () => errors.push(box.store.endpoints.get(id)?.lastError ?? null))
  answer.resolve()
  await eventually(async () => (await box.store.deliveries.list({ limit: 1 }))[0]?.state === 'delivered')
  expect(called).toEqual([ALIVE, `${ALIVE}/new`])
  expect(errors.filter((error) => error !== null)).toEqual([])
})

test.each([
  ['the last one was taken', [503, 200], null],
  ['the last one was not', [200, 503], 'answered 503'],
])('the overlapping call that ends last decides the health of the endpoint: %s', async (_how, [first, last], error) => {
  const ends: ((status: number) => void)[] = []
  const box = await startDeliverer(async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    ends.push(resolve)
    return { status: await promise, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  // Health at the start of both calls, and the result of the call that ends last.
  if (error !== null) await box.store.endpoints.change(id, () => ({ lastError: error, lastErrorCode: 'answered' }))
  await box.add(id, 2)
  box.start()
  await eventually(() => ends.length === 2)
  const over = async (count: number) => {
    const rows = await box.store.deliveries.list({ limit: 2 })
    const attempts = await Promise.all(rows.map((row) => box.store.deliveries.attempts(row.id)))
    return attempts.flat().length === count
  }
  ends[0]?.(first ?? 0)
  await eventually(() => over(1))
  await eventually(() => (box.store.endpoints.get(id)?.lastError === null) === (first === 200))
  ends[1]?.(last ?? 0)
  await eventually(() => over(2))
  await eventually(() => (box.store.endpoints.get(id)?.lastError ?? null) === error)
})

test('a test call to an endpoint that the owner switched off leaves it switched off by the owner', async () => {
  const box = await startDeliverer(async () => ({ status: 410, tookMs: 0 }))
  const { id } = await box.endpoint(ALIVE)
  await box.store.endpoints.change(id, () => ({ enabled: false }))
  const deliverer = box.start()
  const event = { type: 'webhook.test', messageSeq: null, senderCode: null, at: box.clock.now(), data: {} } as const
  await deliverer.test(id, async () => {
    const row = await box.store.deliveries.get(await box.store.events.addFor(id, event))
    if (row === undefined) throw new Error('no delivery')
    return row
  })
  expect(box.store.endpoints.get(id)).toMatchObject({
    enabled: false,
    disabledReason: null,
    lastError: 'answered 410',
  })
})

test('a test call is made once, although the loop reads due deliveries while it is stored', async () => {
  const called: string[] = []
  const box = await startDeliverer(async ({ headers }) => {
    called.push(headers['webhook-id'] ?? '')
    return { status: 200, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  const deliverer = box.start()
  const attempt = await deliverer.test(id, async () => {
    const event = { type: 'webhook.test', messageSeq: null, senderCode: null, at: box.clock.now(), data: {} } as const
    const delivery = await box.store.deliveries.get(await box.store.events.addFor(id, event))
    // Any other callback of this endpoint wakes its loop.
    await box.add(id, 1)
    box.bus.emit('deliveries', { endpointId: id })
    await eventually(() => called.length === 1)
    if (delivery === undefined) throw new Error('no delivery')
    return delivery
  })
  expect(attempt.status).toBe(200)
  await eventually(async () => (await box.store.deliveries.counts()).length === 0)
  expect(called).toHaveLength(2)
  expect(new Set(called).size).toBe(2)
})

test('a program that stood still reads due deliveries again before it calls', async () => {
  const called: string[] = []
  const box = await startDeliverer(async ({ headers }) => {
    called.push(headers['webhook-id'] ?? '')
    return { status: 200, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 1)
  // The program stands still for a minute, and another node makes the call.
  box.disk.slow = async () => {
    box.disk.slow = async () => {}
    box.clock.sleep(60_000)
    const [row] = await box.store.deliveries.list({ limit: 1 })
    if (row === undefined) throw new Error('no delivery')
    const attempt = { at: 0, status: 200, error: null, errorCode: null, body: null, tookMs: 0 }
    await box.store.deliveries.record(row, attempt, { state: 'delivered' })
  }
  box.start()
  await eventually(() => box.counts.reads === 2)
  expect(called).toEqual([])
})

test('a callback that ends while due deliveries are read is not sent again', async () => {
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await setImmediate()
  }
  let calls = 0
  // The calls end one after the other, so that the first end starts another read.
  const box = await startDeliverer(async () => {
    calls += 1
    await turns(calls * 40)
    return { status: 200, tookMs: 0 }
  })
  const { id } = await box.endpoint(ALIVE)
  await box.add(id, 3)
  box.start()
  await eventually(() => calls === 3)
  // Imitates a distant store, whose result is old when it arrives.
  box.disk.slow = () => turns(200)
  await eventually(async () => (await box.store.deliveries.counts()).length === 0)
  await turns(500)
  expect(calls).toBe(3)
})
