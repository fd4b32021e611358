import { emptyAnswer, idParams } from '../../contract/fields.ts'
import {
  createWebhookRequest,
  deadRequest,
  deliveriesAnswer,
  deliverNowAnswer,
  deliveryAnswer,
  deliveryQuery,
  discardedAnswer,
  replayedAnswer,
  rotatedAnswer,
  testAnswer,
  updateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhookFormatsAnswer,
  webhooksAnswer,
} from '../../contract/webhooks.ts'
import {
  type DeliveryContext,
  deliverNow,
  discardDead,
  listDeliveries,
  readDelivery,
  replayDead,
  replayDelivery,
  testWebhook,
} from '../../webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  endpointOf,
  endpointView,
  listEndpoints,
  listFormats,
  removeEndpoint,
  rotateSecret,
} from '../../webhooks/endpoints.ts'
import { defineRoute, done, list, ok, type Route } from '../route.ts'

const owner = { auth: 'owner', tag: 'Webhooks' } as const
const ofOne = { ...owner, params: idParams } as const

/** Ids are numbers; what is written in another way names nothing. */
const numberOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0)
const optional = (id: string | undefined): number | undefined => (id === undefined ? undefined : numberOf(id))

export const webhookRoutes = (context: DeliveryContext): Route[] => [
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Add a receiver of callbacks',
    description: 'The secret that signs its callbacks is in this answer and never shown again.',
    body: createWebhookRequest,
    answer: webhookCreatedAnswer,
    handler: async ({ body }) => ok('Webhook added. Its secret is shown only once.', await addEndpoint(context, body)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/webhooks',
    summary: 'List receivers of callbacks',
    description: 'With the state of each and the number of waiting callbacks, without the secrets.',
    answer: webhooksAnswer,
    handler: async () => ok('Webhooks.', await listEndpoints(context)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/webhooks/formats',
    summary: 'List the forms of callbacks',
    description:
      "Kurir's own, and those of other gateways, which are offered while they are switched on in the settings.",
    answer: webhookFormatsAnswer,
    handler: () => ok('Forms of callbacks.', listFormats(context)),
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Read one receiver',
    description: 'With its state and the number of waiting callbacks, without the secret.',
    answer: webhookAnswer,
    handler: async ({ params: { id } }) => ok('Webhook.', await endpointView(context, endpointOf(context, id))),
  }),
  defineRoute({
    ...ofOne,
    method: 'PATCH',
    path: '/api/webhooks/{id}',
    summary: 'Change a receiver, or switch it on or off',
    description: 'A new address makes waiting callbacks due at once.',
    body: updateWebhookRequest,
    answer: webhookAnswer,
    handler: async ({ params: { id }, body }) => ok('Webhook saved.', await changeEndpoint(context, id, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    summary: 'Delete a receiver and its deliveries',
    description: 'Callbacks that wait for it are not delivered any more.',
    answer: emptyAnswer,
    handler: ({ params: { id } }) => done('Webhook deleted.', removeEndpoint(context, id)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    summary: 'Send a test callback now and show its answer',
    description: 'The answer of the receiver is in `attempt`. If it succeeds, waiting callbacks are due at once.',
    answer: testAnswer,
    handler: async ({ params: { id } }) => {
      const { deliveryId, attempt } = await testWebhook(context, id)
      const message =
        attempt.status === null ? `No answer: ${attempt.error}` : `The receiver answered ${attempt.status}.`
      return ok(message, { delivery_id: String(deliveryId), webhook_id: id, attempt })
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/webhooks/{id}/deliver-now',
    summary: 'Deliver waiting callbacks now',
    description: 'All that wait for another attempt become due at once, in their order.',
    answer: deliverNowAnswer,
    handler: async ({ params: { id } }) => {
      const hastened = await deliverNow(context, id)
      return ok(`${hastened} callbacks are tried now.`, { hastened })
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/webhooks/{id}/rotate-secret',
    summary: 'Create a new secret',
    description:
      'The replaced secret signs too for 24 hours, except in the forms of WAHA and the Cloud API. At most three replaced ones: a fourth within a day is 409.',
    answer: rotatedAnswer,
    handler: async ({ params: { id } }) => ok('New secret. It is shown only once.', await rotateSecret(context, id)),
  }),
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
    ...ofOne,
    method: 'GET',
    path: '/api/deliveries/{id}',
    summary: 'Read one callback',
    description: 'With its body, and the status, time and first 2 KiB of each answer.',
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => ok('Delivery.', await readDelivery(context, numberOf(id))),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/deliveries/{id}/replay',
    summary: 'Send a callback again',
    description: 'With the same `webhook-id`, so that the receiver can tell a repeat.',
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => {
      await replayDelivery(context, numberOf(id))
      return ok('Callback is sent again.', await readDelivery(context, numberOf(id)))
    },
  }),
]
