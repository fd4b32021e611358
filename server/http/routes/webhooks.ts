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

/** Returns an id as a number. Any other text becomes 0, which is no id. */
const numberOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0)
const optional = (id: string | undefined): number | undefined => (id === undefined ? undefined : numberOf(id))

export const webhookRoutes = (context: DeliveryContext): Route[] => [
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Add a webhook endpoint',
    description: 'The secret that signs its callbacks is returned only in this response.',
    body: createWebhookRequest,
    answer: webhookCreatedAnswer,
    handler: async ({ body }) => ok('Webhook added. Its secret is shown only once.', await addEndpoint(context, body)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/webhooks',
    summary: 'List webhook endpoints',
    description: 'The list shows the state of each endpoint and its number of waiting callbacks, but not the secrets.',
    answer: webhooksAnswer,
    handler: async () => ok('Webhooks.', await listEndpoints(context)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/webhooks/formats',
    summary: 'List callback formats',
    description:
      "Kurir's own format, and the formats of other gateways; `offered` is true for those that are switched on in the settings.",
    answer: webhookFormatsAnswer,
    handler: () => ok('Forms of callbacks.', listFormats(context)),
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/webhooks/{id}',
    summary: 'Get a webhook endpoint',
    description: 'Shows its state and its number of waiting callbacks, but not the secret.',
    answer: webhookAnswer,
    handler: async ({ params: { id } }) => ok('Webhook.', await endpointView(context, endpointOf(context, id))),
  }),
  defineRoute({
    ...ofOne,
    method: 'PATCH',
    path: '/api/webhooks/{id}',
    summary: 'Change a webhook endpoint, or switch it on or off',
    description:
      'Fields that are omitted keep their values. After a change of `url` or `format` all waiting callbacks are sent at once.',
    body: updateWebhookRequest,
    answer: webhookAnswer,
    handler: async ({ params: { id }, body }) => ok('Webhook saved.', await changeEndpoint(context, id, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'DELETE',
    path: '/api/webhooks/{id}',
    summary: 'Delete a webhook endpoint and its callbacks',
    description: 'Callbacks that wait for this endpoint are not delivered any more.',
    answer: emptyAnswer,
    handler: ({ params: { id } }) => done('Webhook deleted.', removeEndpoint(context, id)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/webhooks/{id}/test',
    summary: 'Send a test callback and return the result',
    description:
      "`attempt` contains the endpoint's response. If it succeeds, all waiting callbacks of this endpoint are sent at once.",
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
    summary: 'Retry all waiting callbacks now',
    description:
      'All callbacks that wait for a later attempt are sent at once, in their order. 409 while the endpoint is switched off.',
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
    summary: 'Create a new secret for signing callbacks',
    description:
      'For 24 hours the replaced secret signs callbacks as well, except in the formats of WAHA and the Cloud API. At most three replaced secrets can be valid at a time: a fourth change within 24 hours is 409.',
    answer: rotatedAnswer,
    handler: async ({ params: { id } }) => ok('New secret. It is shown only once.', await rotateSecret(context, id)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/deliveries',
    summary: 'List callbacks',
    description: 'Newest first, with the state and all attempts of each.',
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
    summary: 'Retry all dead callbacks',
    description:
      'Dead callbacks are those that Kurir has given up after the last attempt. Applies to one webhook endpoint, or to all that are switched on if `webhook_id` is omitted.',
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
    summary: 'Discard all dead callbacks',
    description:
      'Dead callbacks are those that Kurir has given up after the last attempt. They will not be delivered any more. Applies to one webhook endpoint, or to all if `webhook_id` is omitted.',
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
    summary: 'Get a callback',
    description: 'Contains its request body, and the status, time and first 2 KiB of the response to each attempt.',
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => ok('Delivery.', await readDelivery(context, numberOf(id))),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/deliveries/{id}/replay',
    summary: 'Send a callback again',
    description:
      'The callback has the same `webhook-id` as before, so that your endpoint can recognise duplicates. 409 while the endpoint is switched off.',
    answer: deliveryAnswer,
    handler: async ({ params: { id } }) => {
      await replayDelivery(context, numberOf(id))
      return ok('Callback is sent again.', await readDelivery(context, numberOf(id)))
    },
  }),
]
