import type { Agent } from 'undici'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { DeliveryRow, Store } from '../store/index.ts'
import { type Callback, type CallbackFormats, callbackIn, createReadEvent, OWN_FORMAT } from './callback.ts'
import { createDeliverer } from './deliverer.ts'
import { createDeliveryService, type DeliveryService } from './deliveries.ts'
import { createEndpointService, type EndpointService } from './endpoints.ts'
import { createPostCallback } from './post.ts'

export interface CallbacksDeps {
  store: Store
  vault: Vault
  formats: CallbackFormats
  /** Guarded: it decides which addresses may be called. */
  dispatcher: Agent
  refuseTarget: (url: string) => Promise<string | null>
  version: string
  bus: Bus
  clock: Clock
  /** Since the start, or since the PC slept. */
  awakeSince: () => number
  /** By which time what nobody could act on ends. */
  endTime: () => number
  random: () => number
  logger: Logger
}

export interface Callbacks {
  endpoints: EndpointService
  deliveries: DeliveryService
  stop(): Promise<void>
}

/** Everything about callbacks, put together. */
export function createCallbacks(deps: CallbacksDeps): Callbacks {
  const { store, vault, formats, dispatcher, refuseTarget, version, bus, clock, random, logger } = deps
  const endpoints = createEndpointService({
    endpoints: store.endpoints,
    deliveries: store.deliveries,
    vault,
    formats,
    refuseTarget,
    knownSender: (code) => store.senders.byCode(code) !== undefined,
    bus,
    clock,
    endTime: deps.endTime,
  })

  const readEvent = createReadEvent({ store, vault })

  async function callbackOf(delivery: DeliveryRow): Promise<Callback | undefined> {
    const event = await readEvent(delivery.eventSeq)
    const { format = OWN_FORMAT } = store.endpoints.get(delivery.endpointId) ?? {}
    return event === undefined ? undefined : callbackIn(formats, format, event)
  }

  const deliverer = createDeliverer({
    deliveries: store.deliveries,
    endpoints: store.endpoints,
    callbackOf,
    secretsOf: endpoints.secretsOf,
    post: createPostCallback({ dispatcher, clock, version }),
    bus,
    clock,
    awakeSince: deps.awakeSince,
    random,
    logger,
  })
  const deliveries = createDeliveryService({
    deliveries: store.deliveries,
    events: store.events,
    endpoints,
    deliverer,
    callbackOf,
    bus,
    now: clock.now,
  })

  return {
    endpoints,
    deliveries,
    async stop() {
      await deliverer.stop()
      await dispatcher.destroy()
    },
  }
}
