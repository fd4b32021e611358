import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import { createWaker, type Waker } from '../lib/waker.ts'
import type { Deliveries, DeliveryAttemptRow, DeliveryRow } from '../store/sqlite/deliveries.ts'
import type { EndpointRow, Endpoints } from '../store/sqlite/endpoints.ts'
import type { PostCallback } from './post.ts'
import { judge } from './schedule.ts'
import { signatureHeaders } from './sign.ts'

// Enough for a till's bursts; a slow receiver is not flooded.
const AT_ONCE = 8
// After a disk that does not answer.
const REST = 5_000

export interface Callback {
  webhookId: string
  body: string
}

export interface DelivererDeps {
  deliveries: Deliveries
  endpoints: Endpoints
  /** The text of a delivery; undefined if its event is gone. */
  callbackOf: (delivery: DeliveryRow) => Callback | undefined
  secretsOf: (endpoint: EndpointRow) => string[]
  post: PostCallback
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

export interface Deliverer {
  /** The first attempt of a test call, made while somebody waits for its answer; also to an endpoint that is off. */
  test(delivery: DeliveryRow): Promise<DeliveryAttemptRow>
  stop(): Promise<void>
}

/** Brings callbacks to their receivers: one loop per endpoint, so that a slow one never delays another. */
export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { deliveries, endpoints, bus, clock } = deps
  const stopping = new AbortController()
  const tests = new Set<number>()
  const loops = new Map<number, { waker: Waker; done: Promise<void> }>()

  async function attempt(delivery: DeliveryRow): Promise<DeliveryAttemptRow> {
    const endpoint = endpoints.get(delivery.endpointId)
    const callback = deps.callbackOf(delivery)
    if (endpoint === undefined || callback === undefined) throw new Error(`delivery ${delivery.id} has lost its event`)
    const at = clock.now()
    const headers = signatureHeaders(callback.webhookId, at, callback.body, deps.secretsOf(endpoint))
    const result = await deps.post({ url: endpoint.url, body: callback.body, headers, signal: stopping.signal })
    const row = {
      at,
      status: result.status ?? null,
      error: result.error ?? null,
      body: result.body ?? null,
      tookMs: result.tookMs,
    }
    await conclude(delivery, endpoint, row, judge(delivery.tries + 1, result, clock.now(), deps.random))
    return row
  }

  async function conclude(
    delivery: DeliveryRow,
    endpoint: EndpointRow,
    row: DeliveryAttemptRow,
    verdict: ReturnType<typeof judge>,
  ): Promise<void> {
    if (verdict.type === 'disabled') {
      // It goes on from here when the owner switches the endpoint on again.
      await deliveries.record(delivery.id, row, { state: 'pending', nextAt: row.at })
      await endpoints.change(endpoint.id, {
        enabled: false,
        disabledReason: 'gone',
        lastError: 'the receiver answered 410',
      })
    } else if (verdict.type === 'retry') {
      await deliveries.record(delivery.id, row, { state: 'pending', nextAt: verdict.at })
    } else {
      await deliveries.record(delivery.id, row, { state: verdict.type })
    }
    const lastError = verdict.type === 'delivered' ? null : (row.error ?? `answered ${row.status}`)
    const changed = lastError !== endpoint.lastError
    // Written when the health of an endpoint changes, not with each callback.
    if (changed && verdict.type !== 'disabled') await endpoints.change(endpoint.id, { lastError })
    if (changed || verdict.type !== 'delivered') bus.emit('webhook', { id: endpoint.id })
  }

  async function attemptDue(delivery: DeliveryRow): Promise<void> {
    try {
      await attempt(delivery)
    } catch (error) {
      if (stopping.signal.aborted) return
      // The receiver may have it, but it could not be written down: not at full speed, or a full disk makes a storm.
      deps.logger.error({ err: error, delivery: delivery.id }, 'a callback could not be recorded')
      await sleep(clock, REST, stopping.signal).catch(() => undefined)
    }
  }

  async function run(endpointId: number, waker: Waker): Promise<void> {
    const flights = new Map<number, Promise<void>>()

    /** Sends what is due. Returns when to look again; what is due already waits for a call to end, which wakes. */
    function step(endpoint: EndpointRow): number | null {
      if (!endpoint.enabled) return null
      const now = clock.now()
      const due = deliveries.due(endpointId, now, AT_ONCE + flights.size + tests.size)
      const free = due.filter((row) => !flights.has(row.id) && !tests.has(row.id))
      for (const row of free.slice(0, AT_ONCE - flights.size)) {
        const flight = attemptDue(row).finally(() => {
          flights.delete(row.id)
          waker.wake()
        })
        flights.set(row.id, flight)
      }
      return deliveries.nextAfter(endpointId, now)
    }

    while (!stopping.signal.aborted) {
      let next: number | null
      try {
        const endpoint = endpoints.get(endpointId)
        if (endpoint === undefined) break
        next = step(endpoint)
      } catch (error) {
        deps.logger.error({ err: error, webhook: endpointId }, 'callbacks could not be read')
        next = clock.now() + REST
      }
      await waker.sleep(next)
    }
    await Promise.all(flights.values())
    loops.delete(endpointId)
  }

  function wake(endpointId: number): void {
    const loop = loops.get(endpointId)
    if (loop !== undefined) {
      loop.waker.wake()
    } else if (!stopping.signal.aborted) {
      const waker = createWaker(clock)
      loops.set(endpointId, { waker, done: run(endpointId, waker) })
    }
  }

  const unsubscribe = [
    bus.on('deliveries', ({ endpointId }) => wake(endpointId)),
    bus.on('webhook', ({ id }) => wake(id)),
  ]
  for (const { id } of endpoints.list()) wake(id)

  return {
    async test(delivery) {
      tests.add(delivery.id)
      try {
        return await attempt(delivery)
      } finally {
        tests.delete(delivery.id)
        wake(delivery.endpointId)
      }
    },
    async stop() {
      for (const each of unsubscribe) each()
      stopping.abort()
      for (const { waker } of loops.values()) waker.wake()
      await Promise.all([...loops.values()].map(({ done }) => done))
    },
  }
}
