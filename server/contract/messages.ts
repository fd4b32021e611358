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
  pricing_model: z.string().nullable().describe('`PMP`: for each message.'),
  type: z.string().nullable().describe('`regular`, `free_customer_service`, `free_entry_point`.'),
  category: z.string().nullable().describe('`utility`, `marketing`, `authentication`, `service`, …'),
})
export type Pricing = z.infer<typeof pricing>

/** A message as a callback's `data` carries it. */
export const messageData = z.object({
  id: z.string().describe('Of the message.'),
  message_id: z.string().describe('The same as `id`.'),
  channel,
  sender_code: z.string().describe('Whose queue it came into.'),
  recipient: z
    .string()
    .describe("International number, digits only; Meta's user ID, or the group's id, where it was sent to one."),
  group: z.string().nullable().describe("The group's id; null where it was sent to a person."),
  receipts: receiptsView
    .nullable()
    .describe('Of a group: how many members have it. `delivered` and `read` are reached when every one has.'),
  recipient_user_id: z
    .string()
    .nullable()
    .describe("Meta's business-scoped user ID of the recipient, once it gave one."),
  status,
  reference_id: z.string().nullable().describe("The caller's own number, however it was given."),
  metadata: z.record(z.string(), z.unknown()).describe('As it was sent, without `reference_id`.'),
  provider_message_id: z.string().nullable().describe("WhatsApp's or Meta's own id, once there is one."),
  occurred_at: isoTime.describe('When `status` was reached.'),
  pricing: pricing.nullable().describe('What Meta bills, once it said so; null for linked numbers.'),
  error: failure.nullable().describe('Why it failed, or why the last attempt did.'),
})
export type MessageData = z.infer<typeof messageData>

/** Options of a template send besides the template itself, in Meta's terms. */
const templateOptions = z.object({
  context: z.object({ message_id: z.string() }).optional().describe('The message that it answers.'),
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

/** Reasons why a message waits. */
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
    .describe('`metadata` is empty here because it is larger than 4 KiB: `GET /messages/{id}` and callbacks have it.'),
  created_at: isoTime.describe('When it was accepted.'),
  due_at: isoTime.describe('Before this it is not sent.'),
  attempts: z.number().int().describe('How often it was tried.'),
  message: z.string().nullable().describe('The text (shortened to 280 characters in lists), null for a template.'),
  file: z.string().nullable().describe('Its address; `upload:` and the file_id for one that was sent along.'),
  filename: z.string().nullable().describe('As its recipient sees it; null: named by its address.'),
  file_sha256: z.string().nullable().describe('Once its content is known.'),
  expires_at: isoTime.describe('After this it is not sent any more.'),
  priority: priority.describe('`high` passes what waits in the lane, `low` waits while others are due.'),
  purpose: purpose.describe('Customers who opted out get no `marketing`.'),
  template: askedTemplate.nullable().describe('What was asked of Meta (without components above 4 KiB in lists).'),
  pricing_category: z.string().nullable().describe('`category` of `pricing`.'),
  via: z.string().nullable().describe('Code of the official sender that it went through in place of its own.'),
  held_by: heldBy
    .nullable()
    .describe(
      'Why it waits: `cancelling`, `moving` the owner is cancelling it, or moving it to another sender, and can still undo that, a few seconds; `delay` its own time; `paused`, `not_connected`, `suspended` (the PC sleeps), `other_phone` (another number was linked, and the owner has not confirmed it) its sender; `first_contacts` WhatsApp takes no new chats just now; `wrong_numbers` too many numbers in a row are not on WhatsApp; `new_link` its sender was linked only minutes ago, and does not know its chats yet; `retry` it is tried again; `quiet_hours`, `daily_cap`, `pacing` the settings of its sender; `queue` others come first. Null: it does not wait.',
    ),
  until: isoTime.nullable().describe('When that reason ends; null where it is unknown.'),
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
  outcome: attemptOutcome.nullable().describe('Null while the attempt runs.'),
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
    .describe('Names in its request that Kurir does not know and ignored, such as misspelt ones; at most 20.'),
  queue: z
    .object({ ahead: z.number().int(), leaves_at: isoTime.nullable() })
    .nullable()
    .describe(
      'Where it waits in line: how many leave before it, and about when it leaves, by pacing, cap and quiet hours alone; `leaves_at` is null where that is more than a year. Null as a whole: something else holds it, or it does not wait.',
    ),
  timeline: z.array(timelineEntry),
  attempt_log: z.array(attempt),
  deliveries: z.array(deliveryOfMessage),
  provider: z
    .object({ request: z.unknown(), http_status: z.number().int().nullable(), answer: z.unknown() })
    .nullable()
    .describe(
      'Template sends: what Meta was asked and answered. Where no answer came the last two are null; null as a whole while Meta is not asked or has not answered.',
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
  reference_id: z.string().max(256).describe('Exactly this one.').optional(),
  status: z
    .string()
    .max(200)
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(status))
    .meta({ type: 'string', description: 'One or several with commas.', examples: ['queued,sent'] })
    .optional(),
  sender_code: z.string().max(64).describe('Of this sender.').optional(),
  sandbox: z.enum(SANDBOX_PARTS).describe('Whether messages of the sandbox are in it; `with` if absent.').optional(),
  channel: channel.describe('`standard`: texts and files; `template`: approved templates.').optional(),
  recipient: z
    .string()
    .max(LONGEST_RECIPIENT)
    .describe("The whole number, as people write it, or Meta's user ID.")
    .optional(),
  template_name: z.string().max(512).describe('Exactly this one.').optional(),
  from: dayOrTime
    .describe('Accepted at or after this moment; a date means from the beginning of that day on this PC.')
    .optional(),
  to: dayOrTime
    .describe('Accepted before this moment; a date means up to and including that day on this PC.')
    .optional(),
  failed_from: dayOrTime
    .describe('Only those that failed, at or after this moment, whenever they were accepted.')
    .optional(),
  q: z
    .string()
    .max(200)
    .describe('Words of the first 4,096 characters of the text, or a part of the number or reference.')
    .optional(),
})
export type MessageFilters = z.infer<typeof messageFilters>

export const messageQuery = messageFilters.extend(paging)
export type MessageQuery = z.infer<typeof messageQuery>

/** POST /api/messages/{id}/retry */
export const retryRequest = z
  .object({
    phone: phoneInput.optional().describe('Another number, where the first was wrong.'),
  })
  .default({})

export type RetryRequest = z.input<typeof retryRequest>

/** GET /api/messages/export.csv: the filters of a list, and the form of the table. */
export const exportQuery = messageQuery.omit({ limit: true, cursor: true }).extend({
  layout: z
    .enum(['data', 'spreadsheet'])
    .default('data')
    .describe('`data`: every member, for programs. `spreadsheet`: for people, in their language, time and separator.'),
  language: language.optional().describe('Of the spreadsheet; the language of the settings if absent.'),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone such as Asia/Jakarta')
    .optional()
    .describe('Of the times in the spreadsheet; that of this PC if absent.'),
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
  send_at: z.iso.datetime({ offset: true }).optional().describe('Its end moves with it unless that is given too.'),
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
      description: 'Needed without `sender_code`: all messages with this reference.',
      examples: ['INV-1001'],
    }),
  sender_code: z.string().max(64).optional().describe('All messages of this sender.'),
  status: z.literal('queued').default('queued').describe('Only what waits can be cancelled.'),
})
export const cancelledAnswer = answer(z.object({ cancelled: z.number().int() }))

export const messageAnswer = answer(messageDetail)
export const messageListAnswer = listAnswer(messageRow)
