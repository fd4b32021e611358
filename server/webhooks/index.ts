import type { Agent } from 'undici'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import { type DeliveryRow, PLACES, type Store } from '../store/index.ts'
import { type Callback, createDeliverer } from './deliverer.ts'
import { createDeliveryService, type DeliveryService } from './deliveries.ts'
import { createEndpointService, type EndpointService } from './endpoints.ts'
import { payloadOf, webhookId } from './payload.ts'
import { createPostCallback } from './post.ts'

export interface CallbacksDeps {
  store: Store
  vault: Vault
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
  const { store, vault, dispatcher, refuseTarget, version, bus, clock, random, logger } = deps
  const endpoints = createEndpointService({
    endpoints: store.endpoints,
    deliveries: store.deliveries,
    vault,
    refuseTarget,
    knownSender: (code) => store.senders.byCode(code) !== undefined,
    bus,
    clock,
    endTime: deps.endTime,
  })

  async function callbackOf(delivery: DeliveryRow): Promise<Callback | undefined> {
    const event = await store.events.get(delivery.eventSeq)
    if (event === undefined) return undefined
    if (event.type === 'message.received') {
      const sealed = await store.replies.body(event.seq)
      if (sealed === undefined) return undefined
      const data: unknown = JSON.parse(vault.open(sealed, PLACES.reply).toString('utf8'))
      return { webhookId: webhookId(event, undefined), body: payloadOf({ ...event, data }, undefined, '') }
    }
    const message = event.messageSeq === null ? undefined : await store.messages.find({ seq: event.messageSeq })
    const code = message === undefined ? '' : store.senders.codeOf(message.senderId)
    return { webhookId: webhookId(event, message), body: payloadOf(event, message, code) }
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
