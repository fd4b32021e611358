import { deliverNowAnswer, testAnswer } from '../../contract/deliveries.ts'
import { emptyAnswer } from '../../contract/envelope.ts'
import { idParams } from '../../contract/fields.ts'
import {
  createWebhookRequest,
  rotatedAnswer,
  updateWebhookRequest,
  webhookAnswer,
  webhookCreatedAnswer,
  webhookFormatsAnswer,
  webhooksAnswer,
} from '../../contract/webhooks.ts'
import { type DeliveryContext, deliverNow, testWebhook } from '../../webhooks/deliveries.ts'
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
import { defineRoute, done, ok, type Route } from '../route.ts'

const owner = { auth: 'owner', tag: 'Webhooks' } as const
const ofOne = { ...owner, params: idParams } as const

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
      'The replaced secret signs too for 24 hours. At most three replaced ones: a fourth within a day is 409.',
    answer: rotatedAnswer,
    handler: async ({ params: { id } }) => ok('New secret. It is shown only once.', await rotateSecret(context, id)),
  }),
]
