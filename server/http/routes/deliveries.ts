import {
  deadRequest,
  deliveriesAnswer,
  deliveryAnswer,
  deliveryQuery,
  discardedAnswer,
  replayedAnswer,
} from '../../contract/deliveries.ts'
import { idParams } from '../../contract/fields.ts'
import {
  type DeliveryContext,
  discardDead,
  listDeliveries,
  readDelivery,
  replayDead,
  replayDelivery,
} from '../../webhooks/deliveries.ts'
import { defineRoute, list, ok, type Route } from '../route.ts'

const owner = { auth: 'owner', tag: 'Webhooks' } as const

/** Ids are numbers; what is written in another way names nothing. */
const numberOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0)
const optional = (id: string | undefined): number | undefined => (id === undefined ? undefined : numberOf(id))

export const deliveryRoutes = (context: DeliveryContext): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/deliveries',
    summary: 'List callbacks',
    description: 'Newest first, with the state and the last attempt of each.',
    query: deliveryQuery,
    answer: deliveriesAnswer,
    handler: async ({ query }) => {
      const rows = await listDeliveries(context, {
        state: query.state,
        endpointId: optional(query.webhook_id),
        messageId: query.message_id,
        before: optional(query.cursor),
        limit: query.limit + 1,
      })
      const page = rows.slice(0, query.limit)
      return list(page, rows.length > page.length ? (page.at(-1)?.id ?? null) : null)
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/deliveries/replay-dead',
    summary: 'Send all callbacks again that were given up',
    description: 'Of one receiver, or of all.',
    body: deadRequest,
    bodyOptional: true,
    answer: replayedAnswer,
    handler: async ({ body }) => {
      const replayed = await replayDead(context, body.webhook_id)
      return ok(`${replayed} callbacks are sent again.`, { replayed })
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/deliveries/discard-dead',
    summary: 'Forget all callbacks that were given up',
    description: 'Of one receiver, or of all. They are not delivered any more.',
    body: deadRequest,
    bodyOptional: true,
    answer: discardedAnswer,
    handler: async ({ body }) => {
      const discarded = await discardDead(context, body.webhook_id)
      return ok(`${discarded} callbacks are forgotten.`, { discarded })
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/deliveries/{id}',
    summary: 'Read one callback',
    description: 'With its body, and the status, time and first 2 KiB of each answer.',
    params: idParams,
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => ok('Delivery.', await readDelivery(context, numberOf(id))),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/deliveries/{id}/replay',
    summary: 'Send a callback again',
    description: 'With the same `webhook-id`, so that the receiver can tell a repeat.',
    params: idParams,
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => {
      await replayDelivery(context, numberOf(id))
      return ok('Callback is sent again.', await readDelivery(context, numberOf(id)))
    },
  }),
]
