import { z } from 'zod'
import { failure } from './failures.ts'
import { problem } from './field-problems.ts'
import { answer, isoTime, listAnswer, paging } from './fields.ts'
import { receiptsView } from './groups.ts'
import { LONGEST_RECIPIENT, phoneInput } from './phone.ts'
import { language } from './settings.ts'

export const STATUSES = ['queued', 'accepted', 'sending', 'sent', 'delivered', 'read', 'failed', 'cancelled'] as const
export const status = z.enum(STATUSES)
export type Status = z.infer<typeof status>

export const CHANNELS = ['standard', 'template'] as const
export const channel = z.enum(CHANNELS)
export type ChannelName = z.infer<typeof channel>

/** In the order in which a lane serves them. */
export const PRIORITIES = ['high', 'normal', 'low'] as const
export const priority = z.enum(PRIORITIES)
export type Priority = z.infer<typeof priority>

/** Customers who opted out get no `marketing`. */
export const PURPOSES = ['transactional', 'marketing'] as const
export const purpose = z.enum(PURPOSES)
export type Purpose = z.infer<typeof purpose>
/** Pricing of a message, in Meta's terms. A member that Meta left out is null. */
export const pricing = z.object({
  billable: z.boolean().nullable(),
  pricing_model: z
    .string()
    .nullable()
    .describe("How Meta charges, in Meta's terms. `PMP`: per message. Null: Meta did not say."),
  type: z
    .string()
    .nullable()
    .describe(
      "Type of pricing, in Meta's terms: `regular`, `free_customer_service`, `free_entry_point`. Null: Meta did not say.",
    ),
  category: z
    .string()
    .nullable()
    .describe(
      "Pricing category, in Meta's terms: `utility`, `marketing`, `authentication`, `service`, … Null: Meta did not say.",
    ),
})
export type Pricing = z.infer<typeof pricing>

/** A message as a callback's `data` carries it. */
export const messageData = z.object({
  id: z.string().describe('Id of the message (UUID).'),
  message_id: z.string().describe('Id of the message, the same value as `id`.'),
  channel,
  sender_code: z.string().describe('Code of the sender that the message belongs to.'),
  recipient: z
    .string()
    .describe(
      "Recipient: an international phone number, digits only; or the group's id; or Meta's user ID if the message was addressed to one.",
    ),
  group: z.string().nullable().describe('Id of the recipient group. Null: the recipient is a person.'),
  receipts: receiptsView
    .nullable()
    .describe(
      'Receipts from a group: how many members have received and read the message. The status becomes `delivered` or `read` when every member has sent that receipt. Null: the recipient is a person, or nothing is known yet.',
    ),
  recipient_user_id: z
    .string()
    .nullable()
    .describe("Meta's business-scoped user ID of the recipient. Null: Meta has not reported one."),
  status,
  reference_id: z
    .string()
    .nullable()
    .describe(
      'Your own identifier from the request (`reference_id`, `referenceId`, `ref_id` or `metadata.reference_id`), such as an invoice number. Null: none was given.',
    ),
  metadata: z
    .record(z.string(), z.unknown())
    .describe('Your `metadata` from the request, without `reference_id`. Empty object: none was given.'),
  provider_message_id: z
    .string()
    .nullable()
    .describe('Id that WhatsApp or Meta gave to the message. Null: it has none yet.'),
  occurred_at: isoTime.describe('Time when the message reached `status`.'),
  pricing: pricing
    .nullable()
    .describe('Price information from Meta. Null: Meta has not reported it yet, or a linked number sent the message.'),
  error: failure
    .nullable()
    .describe('Why the message failed; for other statuses, why the last attempt failed. Null: no failure.'),
})
export type MessageData = z.infer<typeof messageData>

/** Options of a template send besides the template itself, in Meta's terms. */
const templateOptions = z.object({
  context: z.object({ message_id: z.string() }).optional().describe('Message that this template replies to.'),
  product_policy: z.string().optional(),
  message_activity_sharing: z.boolean().optional(),
})
export type TemplateOptions = z.infer<typeof templateOptions>

/** A template as the caller asked for it, in Meta's format. */
export const askedTemplate = z.object({
  name: z.string(),
  language: z.string(),
  components: z.array(z.unknown()),
  ...templateOptions.shape,
})
export type AskedTemplate = z.infer<typeof askedTemplate>

export const HELD_BY = [
  'cancelling',
  'moving',
  'delay',
  'paused',
  'not_connected',
  'suspended',
  'other_phone',
  'first_contacts',
  'wrong_numbers',
  'new_link',
  'retry',
  'quiet_hours',
  'daily_cap',
  'pacing',
  'queue',
] as const
export const heldBy = z.enum(HELD_BY)
export type HeldBy = z.infer<typeof heldBy>

/** Limits of a message in a list, so that a page of many rows stays small. */
export const SHOWN_IN_LIST = { textLength: 280, jsonBytes: 4096 } as const

/** A row of a list: the members of a callback's `data` and further ones. */
export const messageRow = messageData.extend({
  metadata_omitted: z
    .boolean()
    .describe(
      'True: `metadata` is empty in this list because it is larger than 4 KiB. `GET /messages/{id}` and callbacks contain it.',
    ),
  created_at: isoTime.describe('Time when Kurir accepted the message.'),
  due_at: isoTime.describe('Earliest time to send the message.'),
  attempts: z.number().int().describe('Number of attempts to send the message so far.'),
  message: z
    .string()
    .nullable()
    .describe(
      'Text of the message, or the caption of its file; lists shorten it to 280 characters. Null: the message is a template.',
    ),
  file: z
    .string()
    .nullable()
    .describe('URL of the file. `upload:` followed by the file_id: the file was uploaded to Kurir. Null: no file.'),
  filename: z
    .string()
    .nullable()
    .describe(
      'File name that the recipient sees. Null: the name is taken from the URL in `file`, or there is no file.',
    ),
  file_sha256: z
    .string()
    .nullable()
    .describe('SHA-256 hash of the file, in hex. Null: no file, or its content is not known yet.'),
  expires_at: isoTime.describe('Deadline: a message that has not been sent by then fails with `expired`.'),
  priority: priority.describe(
    '`high`: sent before other waiting messages of the sender. `low`: sent when no other message is due.',
  ),
  purpose: purpose.describe('`marketing` messages are not sent to recipients who opted out.'),
  template: askedTemplate
    .nullable()
    .describe(
      'Template as it was requested from Meta. Lists omit components larger than 4 KiB. Null: the message is not a template.',
    ),
  pricing_category: z.string().nullable().describe('Same as `pricing.category`.'),
  via: z
    .string()
    .nullable()
    .describe(
      'Code of the official sender that sends or sent this message instead of `sender_code`, because of a second road. Null: none.',
    ),
  held_by: heldBy
    .nullable()
    .describe(
      'Why the message waits. `cancelling`, `moving`: the owner is cancelling it or moving it to another sender, and can undo that for a few seconds. `delay`: its time has not come. Caused by the sender: `paused`; `not_connected`; `suspended` (the PC sleeps); `other_phone` (another number was linked and the owner has not confirmed it). For recipients that this number has no chat with: `first_contacts` (WhatsApp currently allows no new chats); `wrong_numbers` (too many numbers in a row are not on WhatsApp); `new_link` (the number was linked minutes ago and its chats are not known yet). `retry`: the next attempt is scheduled. `quiet_hours`, `daily_cap`, `pacing`: settings of the sender. `queue`: other messages are sent first. Null: it does not wait.',
    ),
  until: isoTime
    .nullable()
    .describe('Time when the reason in `held_by` ends. Null: unknown, or the message does not wait.'),
})
export type MessageRow = z.infer<typeof messageRow>

/** One line of a message's history. `type` is `queued`, a status, or `attempt`. */
export const timelineEntry = z.object({
  type: z.string(),
  at: isoTime,
  detail: z.string().nullable(),
})
export type TimelineEntry = z.infer<typeof timelineEntry>

/**
 * Outcomes of an attempt to send, in this order: WhatsApp or Meta confirmed the message; refused
 * it; may have it; certainly does not have it; there was no connection.
 */
export const ATTEMPT_OUTCOMES = ['acknowledged', 'refused', 'unknown', 'not_sent', 'offline'] as const
export const attemptOutcome = z.enum(ATTEMPT_OUTCOMES)
export type AttemptOutcome = z.infer<typeof attemptOutcome>

export const attempt = z.object({
  number: z.number().int(),
  at: isoTime,
  ended_at: isoTime.nullable(),
  outcome: attemptOutcome
    .nullable()
    .describe(
      'Result of the attempt: `acknowledged` (WhatsApp or Meta confirmed the message), `refused`, `unknown` (it may have been sent), `not_sent` (it was certainly not sent), `offline` (no connection). Null: the attempt is still running.',
    ),
  reason: z.string().nullable(),
})
export type Attempt = z.infer<typeof attempt>

const deliveryOfMessage = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event: z.string(),
  state: z.enum(['pending', 'delivered', 'dead']),
})

export const messageDetail = messageRow.extend({
  unknown_members: z
    .array(z.string())
    .describe('Names in the request that Kurir does not know and ignored, such as misspelt fields. At most 20.'),
  queue: z
    .object({ ahead: z.number().int(), leaves_at: isoTime.nullable() })
    .nullable()
    .describe(
      'Position in the queue. `ahead`: number of messages that are sent before this one. `leaves_at`: estimated time of sending, calculated from pacing, daily limit and quiet hours only; null if it is more than a year away. Null as a whole: the message does not wait, or something other than the queue holds it.',
    ),
  timeline: z.array(timelineEntry),
  attempt_log: z.array(attempt),
  deliveries: z.array(deliveryOfMessage),
  provider: z
    .object({ request: z.unknown(), http_status: z.number().int().nullable(), answer: z.unknown() })
    .nullable()
    .describe(
      "Templates only: the request to Meta and Meta's response. `http_status` and `answer` are null if no response came. Null as a whole: Meta has not been called yet, or the call is still running.",
    ),
})
export type MessageDetail = z.infer<typeof messageDetail>

const isDayOrTime = (text: string): boolean => dayOrTimeSchema.safeParse(text).success
const dayOrTimeSchema = z.iso.datetime({ offset: true }).or(z.iso.date())
const dayOrTime = z
  .string()
  .refine(isDayOrTime, problem('wrong_form', { example: '2026-11-21 or 2026-11-21T08:00:00Z' }))
  .meta({ examples: ['2026-11-21'] })

/** Messages of the sandbox in a list: beside the real ones, left out, or alone. */
export const SANDBOX_PARTS = ['with', 'without', 'only'] as const

/** Filters of every message list. `status` takes several, separated by commas. */
export const messageFilters = z.object({
  reference_id: z.string().max(256).describe('Only messages with exactly this reference.').optional(),
  status: z
    .string()
    .max(200)
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(status))
    .meta({
      type: 'string',
      description: 'Only messages with this status; several are separated by commas, such as `queued,sent`.',
      examples: ['queued,sent'],
    })
    .optional(),
  sender_code: z.string().max(64).describe('Only messages of this sender.').optional(),
  sandbox: z
    .enum(SANDBOX_PARTS)
    .describe(
      'Messages of sandbox senders: `with` includes them, `without` leaves them out, `only` lists nothing else. Default: `with`.',
    )
    .optional(),
  channel: channel
    .describe('Only messages of this kind. `standard`: texts and files. `template`: approved templates.')
    .optional(),
  recipient: z
    .string()
    .max(LONGEST_RECIPIENT)
    .describe("Only messages to this recipient: the whole phone number in any usual spelling, or Meta's user ID.")
    .optional(),
  template_name: z.string().max(512).describe('Only messages of the template with exactly this name.').optional(),
  from: dayOrTime
    .describe(
      'Only messages accepted at or after this time. A date means the beginning of that day in the time zone of this PC.',
    )
    .optional(),
  to: dayOrTime
    .describe('Only messages accepted before this time. A date includes that whole day in the time zone of this PC.')
    .optional(),
  failed_from: dayOrTime
    .describe('Only messages that failed at or after this time, whenever they were accepted.')
    .optional(),
  q: z
    .string()
    .max(200)
    .describe(
      'Search text: words from the first 4,096 characters of the text, or a part of the phone number or reference.',
    )
    .optional(),
})
export type MessageFilters = z.infer<typeof messageFilters>

export const messageQuery = messageFilters.extend(paging)
export type MessageQuery = z.infer<typeof messageQuery>

/** POST /api/messages/{id}/retry */
export const retryRequest = z
  .object({
    phone: phoneInput
      .optional()
      .describe('Recipient of the new message, if the first number was wrong. Omitted: the same recipient.'),
  })
  .default({})

export type RetryRequest = z.input<typeof retryRequest>

/** GET /api/messages/export.csv: the filters of a list, and the form of the table. */
export const exportQuery = messageQuery.omit({ limit: true, cursor: true }).extend({
  layout: z
    .enum(['data', 'spreadsheet'])
    .default('data')
    .describe(
      '`data`: all fields, for programs. `spreadsheet`: for people, with the column names, time format and separator of their language.',
    ),
  language: language
    .optional()
    .describe('Language of the `spreadsheet` layout. Omitted: the language in the settings.'),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone such as Asia/Jakarta')
    .optional()
    .describe('Time zone for the `spreadsheet` layout, such as `Asia/Jakarta`. Omitted: the time zone of this PC.'),
})
export type ExportQuery = z.infer<typeof exportQuery>

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
/** PATCH /messages/{id}: members that can change while the message waits. */
export const changeMessageRequest = z.object({
  send_at: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('New time to send the message. `expires_at` moves by the same amount unless it is also given.'),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  priority: priority.optional(),
})
export type ChangeMessageRequest = z.infer<typeof changeMessageRequest>

/**
 * DELETE /messages: selects the waiting messages to cancel, by reference, sender or both. Strict,
 * because an ignored misspelt member would cancel more messages than the caller meant.
 */
export const cancelQuery = z.strictObject({
  reference_id: z
    .string()
    .max(256)
    .optional()
    .meta({
      'x-needed': true,
      description: 'Needed if `sender_code` is omitted. Cancels only messages with exactly this reference.',
      examples: ['INV-1001'],
    }),
  sender_code: z.string().max(64).optional().describe('Cancels only messages of this sender.'),
  status: z
    .literal('queued')
    .default('queued')
    .describe('Only queued messages can be cancelled, so `queued` is the only value.'),
})
export const cancelledAnswer = answer(z.object({ cancelled: z.number().int() }))

export const messageAnswer = answer(messageDetail)
export const messageListAnswer = listAnswer(messageRow)
