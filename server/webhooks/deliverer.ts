import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createWaker, sleep, type Waker } from '../lib/sleep.ts'
import type { DeliveryAttempt, DeliveryRow, DeliveryStep, EndpointFailure, EndpointRow } from '../store/index.ts'
import {
  afterAttempt,
  failureOf,
  type NextStep,
  NO_FAILURE,
  type PostCallback,
  type PostResult,
  replyAt,
} from './attempt.ts'
import { type Callback, callbackOf, type WebhookContext } from './callback.ts'
import { hasten } from './endpoints.ts'

// Calls to one endpoint at once. Enough for a till's bursts, and does not flood a slow receiver.
const AT_ONCE = 8
// Pause after a storage error.
const REST = 5 * SECOND
// Due deliveries that were read longer ago are read again, because another node may have taken over
// while this program stood still.
const READ_WITHIN = 5 * SECOND

interface Ready {
  delivery: DeliveryRow
  callback: Callback
  endpoint: EndpointRow
}

export interface DelivererOptions {
  post: PostCallback
  /** Time of the start, or of the PC's last wake-up. */
  awakeSince: () => number
  random: () => number
  logger: Logger
}

export type Deliverer = ReturnType<typeof createDeliverer>

interface Loop {
  waker: Waker
  /** Number of running test calls, whose deliveries this loop does not send. */
  tests: number
  done: Promise<void>
}

const GONE = { enabled: false, disabledReason: 'gone' }

/**
 * After a shorter outage the next attempts come soon by themselves. Without this limit a receiver
 * that starts and stops all the time would use up its attempts.
 */
const LONG_OUTAGE = 30 * MINUTE

/** Errors of a receiver that is switched off. They do not depend on the sent event. */
const OFF: readonly (string | null | undefined)[] = [
  'connection_refused',
  'connect_timeout',
  'host_not_found',
  'unreachable',
]

/** Delivers callbacks in one loop for each endpoint, so that a slow one cannot delay others. */
export function createDeliverer(context: WebhookContext, options: DelivererOptions) {
  const { store, bus, clock } = context
  const { deliveries, endpoints } = store
  const { logger } = options
  const stopping = new AbortController()
  const loops = new Map<number, Loop>()
  /** Health of each endpoint as last written or being written. */
  const healths = new Map<number, EndpointFailure>()

  async function read(delivery: DeliveryRow): Promise<Ready> {
    const callback = await callbackOf(context, delivery)
    const endpoint = endpoints.get(delivery.endpointId)
    if (endpoint === undefined || callback === undefined) throw new Error(`delivery ${delivery.id} has lost its event`)
    return { delivery, callback, endpoint }
  }

  async function resultOf({ callback, endpoint }: Ready, at: number): Promise<PostResult> {
    if ('error' in callback) return { error: callback.error, errorCode: callback.errorCode, tookMs: 0 }
    const { call, headersAt } = callback
    return options.post({ url: endpoint.url, call, headers: headersAt(at), signal: stopping.signal })
  }

  async function attempt(ready: Ready): Promise<DeliveryAttempt> {
    const { delivery, endpoint } = ready
    const at = clock.now()
    const result = await resultOf(ready, at)
    // A format without this event will not have it later either.
    const next: NextStep =
      result.errorCode === 'not_in_format'
        ? { type: 'dead' }
        : afterAttempt(delivery.tries + 1, result, clock.now(), options.random)
    bus.emit('callback', { isTaken: next.type === 'delivered', tookMs: result.tookMs })
    const row = {
      at,
      status: result.status ?? null,
      error: result.error ?? null,
      errorCode: result.error === undefined ? null : (result.errorCode ?? null),
      // The answer may repeat the customer's message, which must not be stored.
      body: delivery.event === 'message.received' ? null : (result.body ?? null),
      tookMs: result.tookMs,
    }
    await conclude(delivery, endpoint, row, next)
    return row
  }

  /** Returns the state of a delivery after an attempt. @param at time of the attempt */
  function stepAfter(delivery: DeliveryRow, at: number, next: NextStep, isSameUrl: boolean): DeliveryStep {
    if (next.type === 'delivered') return { state: 'delivered' }
    // Due at once. A new address is called at once, a gone endpoint as soon as the owner switches
    // it on again.
    if (!isSameUrl || next.type === 'disabled') return { state: 'pending', nextAt: at }
    const isReply = delivery.event === 'message.received'
    const awakeSince = options.awakeSince()
    // The receiver's PC may start later than this one, so deliveries from before the start get
    // another call an hour after the start.
    const isLeftOver = at - awakeSince < HOUR && delivery.createdAt < awakeSince
    if (next.type === 'dead' && !isReply && !isLeftOver) return { state: 'dead' }
    const now = clock.now()
    const again = next.type === 'retry' ? next.at : now + HOUR
    const soon = isLeftOver ? Math.min(again, awakeSince + HOUR) : again
    return { state: 'pending', nextAt: isReply ? replyAt(delivery.createdAt, now, soon) : soon }
  }

  async function conclude(
    delivery: DeliveryRow,
    endpoint: EndpointRow,
    row: DeliveryAttempt,
    next: NextStep,
  ): Promise<void> {
    const { url, enabled = false } = endpoints.get(endpoint.id) ?? {}
    // The owner may have entered another address meanwhile. This call says nothing about it.
    const isSameUrl = url === endpoint.url
    await deliveries.record(delivery, row, stepAfter(delivery, row.at, next, isSameUrl))
    const isGone = next.type === 'disabled' && enabled
    if (isSameUrl) await noteHealth(endpoint, next.type === 'delivered' ? NO_FAILURE : failureOf(row), isGone)
    if (next.type !== 'delivered') bus.emit('webhook', { id: endpoint.id })
  }

  /** Writes the health of an endpoint only if it changes, not after each callback. */
  async function noteHealth({ id, url }: EndpointRow, failure: EndpointFailure, isGone: boolean): Promise<void> {
    const isNews = [endpoints.get(id), healths.get(id)].some(
      (known) =>
        known !== undefined && (known.lastError !== failure.lastError || known.lastErrorCode !== failure.lastErrorCode),
    )
    if (!isNews && !isGone) return
    const at = clock.now()
    const before = endpoints.get(id)
    const wasOff =
      OFF.includes((healths.get(id) ?? before)?.lastErrorCode) && at - (before?.failingSince ?? at) >= LONG_OUTAGE
    healths.set(id, failure)
    await endpoints.change(id, (current) => {
      if (current.url !== url) return {}
      const failingSince = failure.lastError === null ? null : (current.failingSince ?? at)
      return { ...failure, failingSince, ...(isGone && current.enabled ? GONE : {}) }
    })
    bus.emit('webhook', { id })
    // The receiver runs again. Without this its backlog could wait up to a day.
    if (wasOff && failure.lastError === null) await hasten(context, id)
  }

  async function attemptDue(delivery: DeliveryRow, readAt: number): Promise<void> {
    try {
      const ready = await read(delivery)
      if (clock.now() - readAt <= READ_WITHIN) await attempt(ready)
    } catch (error) {
      if (stopping.signal.aborted) return
      // The receiver may have the callback, but the result could not be stored. Rest, so that a
      // full disk does not cause a storm of calls.
      logger.error({ err: error, delivery: delivery.id }, 'a callback could not be recorded')
      await sleep(clock, REST, stopping.signal).catch(() => undefined)
    }
  }

  async function run(endpointId: number, loop: Loop): Promise<void> {
    const flights = new Map<number, Promise<void>>()

    function begin(row: DeliveryRow, readAt: number): void {
      const flight = attemptDue(row, readAt).finally(() => {
        flights.delete(row.id)
        loop.waker.wake()
      })
      flights.set(row.id, flight)
    }

    /** Starts due calls. Resolves with the time of the next look; null: when something wakes it. */
    async function step(endpoint: EndpointRow): Promise<number | null> {
      if (!endpoint.enabled) return null
      const now = clock.now()
      // A call that ends during the read still shows as due, so count it as under way.
      const underWay = new Set(flights.keys())
      const due = await deliveries.due(endpointId, now, AT_ONCE + underWay.size + loop.tests)
      const next = await deliveries.nextAfter(endpointId, now)
      const isFree = (row: DeliveryRow) => !underWay.has(row.id) && !(loop.tests > 0 && row.event === 'webhook.test')
      if (!stopping.signal.aborted)
        for (const row of due.filter(isFree).slice(0, AT_ONCE - flights.size)) begin(row, now)
      return next
    }

    while (!stopping.signal.aborted) {
      let next: number | null
      try {
        const endpoint = endpoints.get(endpointId)
        if (endpoint === undefined) break
        next = await step(endpoint)
      } catch (error) {
        logger.error({ err: error, webhook: endpointId }, 'callbacks could not be read')
        next = clock.now() + REST
      }
      await loop.waker.sleep(next)
    }
    await Promise.all(flights.values())
    loops.delete(endpointId)
    healths.delete(endpointId)
  }

  function loopOf(endpointId: number): Loop {
    const known = loops.get(endpointId)
    if (known !== undefined) return known
    const loop: Loop = { waker: createWaker(clock), tests: 0, done: Promise.resolve() }
    loops.set(endpointId, loop)
    loop.done = run(endpointId, loop)
    return loop
  }

  function wake(endpointId: number): void {
    const loop = loops.get(endpointId)
    if (loop !== undefined) loop.waker.wake()
    else if (!stopping.signal.aborted) loopOf(endpointId)
  }

  const unsubscribe = [
    bus.on('deliveries', ({ endpointId }) => wake(endpointId)),
    bus.on('webhook', ({ id }) => wake(id)),
  ]
  for (const { id } of endpoints.list()) wake(id)

  return {
    /**
     * Makes the first attempt of a test delivery, also if the endpoint is off. Resolves with its
     * result.
     * @param add stores the delivery
     */
    async test(endpointId: number, add: () => Promise<DeliveryRow>): Promise<DeliveryAttempt> {
      const loop = loopOf(endpointId)
      loop.tests += 1
      try {
        return await attempt(await read(await add()))
      } finally {
        loop.tests -= 1
        wake(endpointId)
      }
    },
    async stop(): Promise<void> {
      for (const each of unsubscribe) each()
      stopping.abort()
      for (const { waker } of loops.values()) waker.wake()
      await Promise.all([...loops.values()].map(({ done }) => done))
    },
  }
}
