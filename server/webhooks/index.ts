import type { Agent } from 'undici'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { Store } from '../store/index.ts'
import type { DeliveryRow } from '../store/sqlite/deliveries.ts'
import { type Callback, createDeliverer } from './deliverer.ts'
import { createWebhookService } from './endpoints.ts'
import { payloadOf, webhookId } from './payload.ts'
import { createPostCallback } from './post.ts'

export interface CallbacksDeps {
  store: Pick<Store, 'deliveries' | 'endpoints' | 'events' | 'messages' | 'senders' | 'write'>
  vault: Vault
  /** Guarded: it decides which addresses may be called. */
  dispatcher: Agent
  refuseTarget: (url: string) => Promise<string | null>
  version: string
  bus: Bus
  clock: Clock
  random: () => number
  logger: Logger
}

export type Callbacks = ReturnType<typeof createCallbacks>

/** Everything about callbacks, put together. */
export function createCallbacks({
  store,
  vault,
  dispatcher,
  refuseTarget,
  version,
  bus,
  clock,
  random,
  logger,
}: CallbacksDeps) {
  const webhooks = createWebhookService({
    ...{ endpoints: store.endpoints, deliveries: store.deliveries, vault, refuseTarget, bus, clock },
    knownSender: (code) => store.senders.byCode(code) !== undefined,
  })

  function callbackOf(delivery: DeliveryRow): Callback | undefined {
    const event = store.events.get(delivery.eventSeq)
    if (event === undefined) return undefined
    const message = event.messageSeq === null ? undefined : store.messages.find({ seq: event.messageSeq })
    const code = message === undefined ? '' : store.senders.codeOf(message.senderId)
    return { webhookId: webhookId(event, message), body: payloadOf(event, message, code) }
  }

  const deliverer = createDeliverer({
    ...{ deliveries: store.deliveries, endpoints: store.endpoints, callbackOf, bus, clock, random, logger },
    secretsOf: webhooks.secretsOf,
    post: createPostCallback({ dispatcher, clock, version }),
  })

  return {
    webhooks,
    deliverer,
    callbackOf,
    /** Writes a test event for one endpoint; returns its delivery. */
    async addTest(endpointId: number): Promise<number> {
      const data = JSON.stringify({ webhook_id: String(endpointId) })
      const event = { type: 'webhook.test', messageSeq: null, senderCode: null, at: clock.now(), data }
      const { deliveries } = await store.write(() => store.events.insert(event, endpointId))
      return deliveries[0]?.id ?? 0
    },
    async stop(): Promise<void> {
      await deliverer.stop()
      await dispatcher.destroy()
    },
  }
}
