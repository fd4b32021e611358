import { z } from 'zod'
import { createKeyRequest, keyView, sessionView, windowLink } from '../contract/access.ts'
import { concern, concernCode, concernCount, weight } from '../contract/concerns.ts'
import { errorAnswer, errorDetail, providerError } from '../contract/errors.ts'
import { failure, failureCode } from '../contract/failures.ts'
import { linkRequest, passkeyAssertion, passkeyOptions } from '../contract/linking.ts'
import {
  askedTemplate,
  attempt,
  channel,
  heldBy,
  messageData,
  messageDetail,
  messageRow,
  pricing,
  status,
  timelineEntry,
} from '../contract/messages.ts'
import { senderCheck } from '../contract/official-senders.ts'
import { diagnostics, health, overviewData } from '../contract/operation.ts'
import { secondRoad, secondRoadTrial, secondRoadView } from '../contract/second-road.ts'
import { sendAnswer, sendRequest } from '../contract/send.ts'
import {
  connectionState,
  createSenderRequest,
  pacing,
  senderKind,
  senderState,
  senderSummary,
  senderView,
  updateSenderRequest,
} from '../contract/senders.ts'
import { settingsView, updateSettingsRequest } from '../contract/settings.ts'
import { templateAnswer, templateComponent, templateRequest, templateView } from '../contract/templates.ts'
import {
  callback,
  callbackError,
  createWebhookRequest,
  delivery,
  deliveryAttempt,
  deliveryDetail,
  eventName,
  senderEventData,
  updateWebhookRequest,
  webhookView,
} from '../contract/webhooks.ts'
import type { Route } from './route.ts'

/** Names of schemas in the description, and so of the types in generated clients. */
const SCHEMAS = {
  ApiKey: keyView,
  AskedTemplate: askedTemplate,
  Attempt: attempt,
  Callback: callback,
  CallbackError: callbackError,
  Channel: channel,
  Concern: concern,
  ConcernCode: concernCode,
  ConcernCount: concernCount,
  ConcernWeight: weight,
  ConnectionState: connectionState,
  CreateApiKey: createKeyRequest,
  CreateSender: createSenderRequest,
  CreateWebhook: createWebhookRequest,
  Delivery: delivery,
  DeliveryAttempt: deliveryAttempt,
  DeliveryDetail: deliveryDetail,
  Diagnostics: diagnostics,
  Error: errorAnswer,
  EventName: eventName,
  Failure: failure,
  FailureCode: failureCode,
  FieldError: errorDetail,
  Health: health,
  HeldBy: heldBy,
  LinkSender: linkRequest,
  PasskeyAssertion: passkeyAssertion,
  PasskeyOptions: passkeyOptions,
  Message: messageRow,
  MessageData: messageData,
  MessageDetail: messageDetail,
  MessageStatus: status,
  Overview: overviewData,
  Pacing: pacing,
  Pricing: pricing,
  ProviderError: providerError,
  SecondRoad: secondRoad,
  SecondRoadState: secondRoadView,
  SecondRoadTrial: secondRoadTrial,
  SendAnswer: sendAnswer,
  SendRequest: sendRequest,
  Sender: senderView,
  SenderCheck: senderCheck,
  SenderEventData: senderEventData,
  SenderKind: senderKind,
  SenderState: senderState,
  SenderSummary: senderSummary,
  Session: sessionView,
  Settings: settingsView,
  Template: templateView,
  TemplateAnswer: templateAnswer,
  TemplateComponent: templateComponent,
  TemplateRequest: templateRequest,
  TimelineEntry: timelineEntry,
  UpdateSender: updateSenderRequest,
  UpdateSettings: updateSettingsRequest,
  UpdateWebhook: updateWebhookRequest,
  Webhook: webhookView,
  WindowLink: windowLink,
} satisfies Record<string, z.ZodType>

/** Registers the names of the schemas with the schema library. */
export function nameSchemas(): void {
  for (const [id, schema] of Object.entries(SCHEMAS)) z.globalRegistry.add(schema, { ...schema.meta(), id })
}

/** Names of the routes for callers. Other routes get a name from their path. */
const NAMES: Record<string, string> = {
  'POST /send': 'sendMessage',
  'POST /waba/send-template': 'sendTemplate',
  'GET /waba/templates': 'listTemplates',
  'GET /messages': 'listMessages',
  'GET /messages/{id}': 'getMessage',
  'DELETE /messages/{id}': 'cancelMessage',
  'DELETE /messages': 'cancelMessages',
  'DELETE /api/messages': 'deleteWaitingMessages',
  'PATCH /messages/{id}': 'changeMessage',
  'POST /messages/{id}/revoke': 'revokeMessage',
  'POST /files': 'storeFile',
  'GET /suppressions': 'listSuppressions',
  'POST /suppressions': 'addSuppression',
  'DELETE /suppressions': 'removeSuppression',
  'GET /senders': 'listSenders',
  'GET /health': 'getHealth',
  'GET /metrics': 'getMetrics',
  'GET /openapi.json': 'getDescription',
  'GET /docs': 'getDocs',
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const VERBS: Record<string, string> = { GET: 'get', POST: 'create', PATCH: 'update', DELETE: 'delete' }

/**
 * Returns the name of a route in clients that are generated from the description, such as
 * `rotateSecretOfWebhooks` for POST /api/webhooks/{id}/rotate-secret.
 */
export function operationName({ method, path }: Route): string {
  const known = NAMES[`${method} ${path}`]
  if (known !== undefined) return known
  const camel = (segment: string) =>
    segment
      .split(/[^a-z]+/i)
      .filter((word) => word !== '')
      .map((word, i) => (i === 0 ? word : capital(word)))
      .join('')
  if (path.startsWith('/compat/')) {
    const name = camel(path.slice('/compat/'.length).replace(/v\{\w+\}\.0/, ''))
    return method === 'GET' || method === 'PUT' ? `${method.toLowerCase()}${capital(name)}` : name
  }
  const [, collection = '', action = ''] = /^\/api\/([^{]+?)(?:\/\{\w+\}(?:\/(.+))?)?$/.exec(path) ?? []
  if (action !== '') return `${camel(action)}Of${capital(camel(collection))}`
  const one = path.includes('{') && method === 'GET' ? 'One' : ''
  return `${VERBS[method]}${one}${capital(camel(collection))}`
}
