import { z } from 'zod'
import type { ProviderError } from '../../contract/errors.ts'
import { readStatusError } from './provider-error.ts'

export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'failed'

export interface StatusUpdate {
  kind: 'status'
  wabaId: string | null
  phoneNumberId: string | null
  providerMessageId: string
  status: ReportedStatus
  /** Milliseconds, by Meta's clock; `null` when it gave no time. */
  occurredAt: number | null
  recipient: string | null
  /** Our message id, if Meta gave it back. */
  callbackData: string | null
  pricingCategory: string | null
  errors: ProviderError[]
}

export interface TemplateUpdate {
  kind: 'template'
  wabaId: string | null
  event: string
  templateId: string | null
  name: string
  language: string
  reason: string | null
}

/** Anything that is not acted upon: incoming messages, other fields, statuses that Kurir does not use. */
export interface OtherUpdate {
  kind: 'other'
  wabaId: string | null
  phoneNumberId: string | null
  field: string
  value: unknown
}

export type Update = StatusUpdate | TemplateUpdate | OtherUpdate

// Meta nests about ten levels. What lies far deeper was not written by Meta, and could not be written back as JSON.
const DEEPEST = 64

const id = z
  .union([z.string(), z.number().transform(String)])
  .nullable()
  .catch(null)
const optionalText = z.string().nullable().catch(null)
// Seconds, as a string.
const seconds = z.coerce
  .number()
  .positive()
  .transform((value) => Math.round(value * 1000))
  .nullable()
  .catch(null)

const envelope = z.object({
  entry: z.array(
    z.object({ id, changes: z.array(z.object({ field: z.string().catch('unknown'), value: z.unknown() })) }),
  ),
})

const messagesValue = z.object({
  metadata: z.object({ phone_number_id: id }).catch({ phone_number_id: null }),
  statuses: z.array(z.unknown()).catch([]),
  messages: z.array(z.unknown()).catch([]),
  errors: z.array(z.unknown()).catch([]),
})

const statusEntry = z.object({
  id: z.string().min(1),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: seconds,
  recipient_id: optionalText,
  biz_opaque_callback_data: optionalText,
  pricing: z.object({ category: optionalText }).nullable().catch(null),
  errors: z.array(z.unknown()).catch([]),
})

const templateValue = z.object({
  event: z.string().min(1),
  message_template_id: id,
  message_template_name: z.string().min(1),
  message_template_language: z.string().min(1),
  reason: optionalText,
})

/**
 * Every update of a callback's raw body, in the order in which Meta wrote them. What has an unknown form is kept as
 * `other`; `null` means that the body is no JSON, or nested too deep to be Meta's.
 */
export function readUpdates(rawBody: Uint8Array): Update[] | null {
  const text = Buffer.from(rawBody).toString()
  if (nestsDeeperThan(text, DEEPEST)) return null
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const parsed = envelope.safeParse(body)
  if (!parsed.success) return [other(null, null, 'unknown', body)]
  return parsed.data.entry.flatMap((entry) =>
    entry.changes.flatMap(({ field, value }) => readChange(entry.id, field, value)),
  )
}

function readChange(wabaId: string | null, field: string, value: unknown): Update[] {
  if (field === 'messages') return readMessages(wabaId, value)
  if (field === 'message_template_status_update') return [readTemplate(wabaId, field, value)]
  return [other(wabaId, null, field, value)]
}

function readMessages(wabaId: string | null, value: unknown): Update[] {
  const parsed = messagesValue.safeParse(value)
  if (!parsed.success) return [other(wabaId, null, 'messages', value)]
  const { metadata, statuses, messages, errors } = parsed.data
  const phoneNumberId = metadata.phone_number_id
  const updates = statuses.map((entry) => readStatus(wabaId, phoneNumberId, entry))
  const holdsMore = statuses.length === 0 || messages.length > 0 || errors.length > 0
  return holdsMore ? [...updates, other(wabaId, phoneNumberId, 'messages', value)] : updates
}

function readStatus(wabaId: string | null, phoneNumberId: string | null, entry: unknown): Update {
  const parsed = statusEntry.safeParse(entry)
  if (!parsed.success) return other(wabaId, phoneNumberId, 'statuses', entry)
  const status = parsed.data
  return {
    kind: 'status',
    wabaId,
    phoneNumberId,
    providerMessageId: status.id,
    status: status.status,
    occurredAt: status.timestamp,
    recipient: status.recipient_id,
    callbackData: status.biz_opaque_callback_data,
    pricingCategory: status.pricing?.category ?? null,
    errors: status.errors.map(readStatusError),
  }
}

function readTemplate(wabaId: string | null, field: string, value: unknown): Update {
  const parsed = templateValue.safeParse(value)
  if (!parsed.success) return other(wabaId, null, field, value)
  const update = parsed.data
  return {
    kind: 'template',
    wabaId,
    event: update.event,
    templateId: update.message_template_id,
    name: update.message_template_name,
    language: update.message_template_language,
    reason: update.reason === 'NONE' ? null : update.reason,
  }
}

function other(wabaId: string | null, phoneNumberId: string | null, field: string, value: unknown): OtherUpdate {
  return { kind: 'other', wabaId, phoneNumberId, field, value }
}

/** Looks at the text before it is parsed: brackets inside strings do not count. */
function nestsDeeperThan(text: string, deepest: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === BACKSLASH) at += 1
      else if (char === QUOTE) inString = false
    } else if (char === QUOTE) inString = true
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth += 1
      if (depth > deepest) return true
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
