import { z } from 'zod'
import { problem } from './field-problems.ts'
import { answer, boundedList, isoTime, listAnswer, paging } from './fields.ts'
import { messageData } from './messages.ts'
import { connectionState, newChats, senderKind } from './senders.ts'
import { contactEventData } from './suppressions.ts'

export const EVENTS = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.cancelled',
  'message.revoked',
  'message.received',
  'contact.opted_out',
  'contact.opted_in',
  'sender.linked',
  'sender.disconnected',
  'sender.unlinked',
  'sender.restricted',
  'sender.unrestricted',
  'webhook.test',
] as const
export const eventName = z.enum(EVENTS)
export type EventName = z.infer<typeof eventName>

/** Retention of a reply for its endpoints (ms). Our choice: a shop's till is off at night. */
export const REPLY_KEPT_FOR = 24 * 3_600_000

/** Endpoints get customers' replies only if they ask for them by name. */
export const DEFAULT_EVENTS = EVENTS.filter((name) => name !== 'message.received')

/** `data` of `message.received`. Kurir passes it on and does not keep it. */
export const receivedEventData = z.object({
  sender_code: z.string(),
  from: z.string().nullable().describe('Phone number of the customer, digits only. Null: Meta gives only the user ID.'),
  from_user_id: z.string().nullable().describe("Meta's user ID of the customer, for official senders. Null: none."),
  type: z.string().describe('Type of the message: `text`, `image`, `audio`, `location`, …'),
  text: z
    .string()
    .nullable()
    .describe('Text of the message, or caption of the file; at most 65,536 characters. Null: no text.'),
  reply_to: z.string().nullable().describe('Id of your message that the customer quotes. Null: none.'),
  occurred_at: isoTime,
})

export const senderEventData = z.object({
  sender_code: z.string(),
  name: z.string(),
  kind: senderKind,
  state: connectionState,
  reason: z.string().nullable(),
  until: isoTime
    .nullable()
    .describe(
      'Time when the restriction of the number or of its new chats ends. Null: no restriction, or the time is not known.',
    ),
  new_chats: newChats.nullable().describe("WhatsApp's cap on new chats of this number. Null: no cap, or not known."),
  occurred_at: isoTime,
})

/** The body of a callback in Kurir's own format. */
export const callback = z
  .object({
    type: eventName,
    timestamp: isoTime,
    data: z.union([
      messageData,
      senderEventData,
      receivedEventData,
      contactEventData,
      z.object({ webhook_id: z.string() }),
    ]),
  })
  .meta({
    examples: [
      {
        type: 'message.delivered',
        timestamp: '2026-11-21T08:00:00.000Z',
        data: {
          id: '01a1feab-e730-7000-9982-5ab6c206febe',
          message_id: '01a1feab-e730-7000-9982-5ab6c206febe',
          channel: 'standard',
          sender_code: 'SND-7K3QXM',
          recipient: '6281234567890',
          group: null,
          receipts: null,
          recipient_user_id: null,
          status: 'delivered',
          reference_id: 'INV-1001',
          metadata: { branch: 4 },
          provider_message_id: '3EB0C767D26A1B4F5D8E',
          occurred_at: '2026-11-21T07:59:59.412Z',
          pricing: null,
          error: null,
        },
      },
    ],
  })

export const webhookFields = z.object({
  url: z
    .string()
    .min(1)
    .max(2048)
    .meta({
      description: 'URL of the webhook endpoint, to which Kurir sends callbacks by POST.',
      examples: ['http://192.168.1.10:8000/kurir'],
    }),
  format: z
    .string()
    .min(1)
    .max(32)
    .describe(
      "Format of the callbacks: Kurir's own or that of another gateway. `GET /api/webhooks/formats` lists the formats. Default: `kurir`.",
    ),
  events: boundedList(eventName, 100)
    .refine((events) => events.length > 0, problem('empty'))
    .describe('Events that the endpoint receives. Default: all events of the format except `message.received`.'),
  sender_codes: boundedList(z.string().max(64), 1000)
    .nullable()
    .describe('Codes of the senders whose events the endpoint receives. Null: all senders.'),
  enabled: z.boolean().describe('False: the endpoint is switched off and receives no callbacks. Default: true.'),
})
export const createWebhookRequest = webhookFields.partial().required({ url: true })
export const updateWebhookRequest = webhookFields.partial()
export type CreateWebhookRequest = z.infer<typeof createWebhookRequest>
export type UpdateWebhookRequest = z.infer<typeof updateWebhookRequest>

/**
 * Reasons why an attempt to deliver failed, as codes to translate; `error` has the English text.
 * `answered`: the endpoint answered with a status other than 200 to 299. `format_unknown` and
 * `not_in_format`: no call was made.
 */
export const CALLBACK_ERRORS = [
  'answered',
  'timeout',
  'connection_refused',
  'connection_lost',
  'host_not_found',
  'connect_timeout',
  'unreachable',
  'certificate',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_of_other_name',
  'no_tls',
  'address_not_allowed',
  'format_unknown',
  'not_in_format',
  'challenge_failed',
] as const
export const callbackError = z.enum(CALLBACK_ERRORS)
export type CallbackError = z.infer<typeof callbackError>

const OF_NETWORK: Record<string, CallbackError> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_lost',
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_not_found',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_REVOKED: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_of_other_name',
}

/** Maps Node's code of a failed connection; null if the code is unknown. */
export const callbackErrorOfCode = (code: string): CallbackError | null =>
  OF_NETWORK[code] ?? (code.startsWith('ERR_SSL_') ? 'no_tls' : null)

export const webhookView = webhookFields.extend({
  id: z.string(),
  disabled_reason: z
    .string()
    .nullable()
    .describe('Why Kurir switched the endpoint off: `gone` if it answered 410. Null: Kurir did not switch it off.'),
  pending: z.number().int(),
  dead: z.number().int(),
  last_delivered_at: isoTime.nullable(),
  last_error: z.string().nullable(),
  last_error_code: callbackError.nullable(),
  last_error_status: z
    .number()
    .int()
    .nullable()
    .describe('HTTP status of the last failed attempt, if `last_error_code` is `answered`. Null otherwise.'),
  created_at: isoTime,
})
export type WebhookView = z.infer<typeof webhookView>

/** A format of callbacks: Kurir's own, or another gateway's. */
export const webhookFormat = z.object({
  name: z.string(),
  title: z.string().describe('Name of the gateway that uses this format.'),
  events: z.array(eventName).describe('Events that exist in this format.'),
  offered: z
    .boolean()
    .describe(
      "True for Kurir's own format, and for the format of a gateway whose compatible routes are switched on in the settings.",
    ),
})
export type WebhookFormat = z.infer<typeof webhookFormat>

export const webhookFormatsAnswer = answer(z.array(webhookFormat))
export const webhookAnswer = answer(webhookView)
export const webhooksAnswer = answer(z.array(webhookView))
export const webhookCreatedAnswer = answer(
  webhookView.extend({
    secret: z.string().describe('Secret for verifying the signature of callbacks. Returned only in this response.'),
  }),
)
export const rotatedAnswer = answer(
  z.object({
    id: z.string(),
    secret: z.string(),
    previous_valid_until: isoTime
      .nullable()
      .describe(
        'Until this time callbacks are signed with the replaced secret as well. Null: this format has room for one signature only, so the new secret replaces the old one at once.',
      ),
  }),
)

export const deliveryAttempt = z.object({
  at: isoTime,
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  error_code: callbackError.nullable(),
  body: z
    .string()
    .nullable()
    .describe(
      "First 2 KiB of the endpoint's response body. Null: no response, or the callback contained a customer's message.",
    ),
  took_ms: z.number().int(),
})
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export const delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event: eventName,
  message_id: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  next_at: isoTime.nullable(),
  created_at: isoTime,
  attempts: z.array(deliveryAttempt),
})
export type Delivery = z.infer<typeof delivery>
export const deliveryDetail = delivery.extend({
  url: z.string(),
  request: z
    .unknown()
    .describe(
      "Body of the callback as it is sent. Null: not available, such as for a customer's message (`message.received`).",
    ),
})

export const deliveryQuery = z.object({
  state: z.enum(DELIVERY_STATES).describe('Only callbacks in this state.').optional(),
  webhook_id: z.string().max(64).describe('Only callbacks to this webhook endpoint.').optional(),
  message_id: z.string().max(64).describe('Only callbacks about this message.').optional(),
  ...paging,
})
/** Selects the dead deliveries of one webhook, or of all if `webhook_id` is left out. */
export const deadRequest = z.object({ webhook_id: z.string().max(64).optional() }).default({})

export const deliveryAnswer = answer(deliveryDetail)
export const deliveriesAnswer = listAnswer(delivery)
export const replayedAnswer = answer(z.object({ replayed: z.number().int() }))
export const discardedAnswer = answer(z.object({ discarded: z.number().int() }))
/** Answer of POST /api/webhooks/{id}/deliver-now. */
export const deliverNowAnswer = answer(
  z.object({
    hastened: z.number().int().describe('Number of callbacks that were waiting for a later attempt and are sent now.'),
  }),
)
/** Answer of POST /api/webhooks/{id}/test. */
export const testAnswer = answer(
  z.object({ delivery_id: z.string(), webhook_id: z.string(), attempt: deliveryAttempt }),
)
