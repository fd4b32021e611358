import { z } from 'zod'
import { jsonSize, withoutNul } from '../../../lib/json.ts'
import type { ReceivedMessage as PassedOn } from '../../../senders/customers.ts'
import { digits, id, items, name, optional, optionalCode, seconds } from '../graph/members.ts'
import { readStatusError } from '../graph/provider-error.ts'
import { UPDATE_READERS } from './update-readers.ts'
import { type News, type PreferenceUpdate, REPORTED, type StatusUpdate, type Update } from './updates.ts'

export interface Callback {
  /** Updates in Meta's order. May be stored, because they contain no texts of customers. */
  updates: Update[]
  /** Messages of customers. Must not be stored. */
  received: ReceivedMessage[]
  /** Customers whose number or id at Meta has changed. Must not be stored. */
  renamed: RenamedCustomer[]
  /** Names of the fields and kinds that Kurir ignores, each once. */
  ignored: string[]
}

// Meta nests about ten levels. A far deeper body does not come from Meta and could not be written
// as JSON again.
const DEEPEST = 64
// Our own limit. Meta puts at most 1,000 updates into a body.
const MOST_ITEMS = 10_000
const MOST_ERRORS = 5
const MOST_IGNORED = 20

const envelope = z.object({ entry: z.array(z.unknown()) })
const entry = z.object({ id, time: seconds, changes: items })
const change = z.object({ field: z.string().catch('unknown'), value: z.unknown().optional() })

/** Derives `billable` from the type, because Meta plans to leave `billable` out. */
function isBilled(type: string | null): boolean | null {
  if (type === 'regular') return true
  return type?.startsWith('free_') ? false : null
}

const statusEntry = z.object({
  id: z.string().min(1).max(512),
  status: z.enum(REPORTED),
  timestamp: seconds,
  recipient_id: optionalCode,
  recipient_user_id: optional(name),
  biz_opaque_callback_data: optional(name),
  pricing: optional(
    z
      .object({
        billable: optional(z.boolean()),
        pricing_model: optionalCode,
        type: optionalCode,
        category: optionalCode,
      })
      .transform((pricing) => ({ ...pricing, billable: pricing.billable ?? isBilled(pricing.type) })),
  ),
  errors: items,
})

const metadata = z.object({ phone_number_id: id }).catch({ phone_number_id: null })

const messagesValue = z.object({
  metadata,
  statuses: items,
  messages: items,
  errors: items,
})

const preferenceEntry = z.object({
  wa_id: digits,
  user_id: optional(name),
  category: optionalCode,
  value: z.enum(['stop', 'resume', 'signup']),
  timestamp: seconds,
})

const preferencesValue = z.object({ metadata, user_preferences: items })

/** Fields that Kurir reads, and to which the app must subscribe at Meta. */
export const CALLBACK_FIELDS: readonly string[] = ['messages', 'user_preferences', ...Object.keys(UPDATE_READERS)]

/**
 * Reads the raw body of a callback. Returns null if the body is not JSON, is nested too deep, or
 * contains more than Meta puts into one body.
 */
export function readCallback(rawBody: Uint8Array): Callback | null {
  const text = Buffer.from(rawBody).toString()
  if (jsonSize(text).depth > DEEPEST) return null
  let body: unknown
  try {
    body = JSON.parse(withoutNul(text))
  } catch {
    return null
  }
  const read = createReading()
  const parsed = envelope.safeParse(body)
  if (!parsed.success) read.ignore('unknown')
  else for (const each of read.counted(parsed.data.entry)) readEntry(each, read)
  return read.result()
}

type Reading = ReturnType<typeof createReading>

function createReading() {
  const updates: Update[] = []
  const received: ReceivedMessage[] = []
  const renamed: RenamedCustomer[] = []
  const ignored = new Set<string>()
  let seen = 0

  /** Keeps only names in Meta's form, because the value could be anything. */
  function ignore(what: string): void {
    if (ignored.size < MOST_IGNORED) ignored.add(/^[a-z_.]{1,64}$/.test(what) ? what : 'unknown')
  }

  return {
    /** Counts unused items too, so that reading is bounded and not only the result. */
    counted<T>(list: readonly T[]): readonly T[] {
      seen += list.length
      return seen > MOST_ITEMS ? [] : list
    },
    add(update: Update | null, what: string): void {
      if (update === null) ignore(what)
      else updates.push(update)
    },
    receive: (message: ReceivedMessage) => void received.push(message),
    rename: (customer: RenamedCustomer) => void renamed.push(customer),
    ignore,
    result: (): Callback | null => (seen > MOST_ITEMS ? null : { updates, received, renamed, ignored: [...ignored] }),
  }
}

function readEntry(value: unknown, read: Reading): void {
  const { data } = entry.safeParse(value)
  if (data === undefined) return void read.ignore('unknown')
  const from: News = { wabaId: data.id, occurredAt: data.time }
  for (const each of read.counted(data.changes)) {
    const { data: found } = change.safeParse(each)
    if (found === undefined) read.ignore('unknown')
    else readChange(found.field, found.value, from, read)
  }
}

function readChange(field: string, value: unknown, from: News, read: Reading): void {
  const reader = Object.hasOwn(UPDATE_READERS, field) ? UPDATE_READERS[field] : undefined
  if (field === 'messages') readMessages(value, from, read)
  else if (field === 'user_preferences') readPreferences(value, from, read)
  else read.add(reader?.(value, from) ?? null, field)
}

function readMessages(value: unknown, from: News, read: Reading): void {
  const { data } = messagesValue.safeParse(value)
  if (data === undefined) return void read.ignore('messages')
  const { statuses, messages, errors } = data
  const phoneNumberId = data.metadata.phone_number_id
  for (const each of read.counted(statuses)) {
    read.add(readStatus(from.wabaId, phoneNumberId, each), 'messages.status')
  }
  for (const each of read.counted(messages)) {
    const message = readReceivedMessage(phoneNumberId, each)
    const customer = message === null ? readRenamed(phoneNumberId, each) : null
    if (message !== null) read.receive(message)
    else if (customer !== null) read.rename(customer)
    else read.ignore('messages.notice')
  }
  // Errors beside a message are about that message, and messages are not stored.
  if (errors.length === 0 || messages.length > 0) return
  const faults = read.counted(errors).slice(0, MOST_ERRORS).map(readStatusError)
  read.add({ kind: 'fault', ...from, phoneNumberId, errors: faults }, 'messages')
}

function readStatus(wabaId: string | null, phoneNumberId: string | null, value: unknown): StatusUpdate | null {
  const { data } = statusEntry.safeParse(value)
  if (data === undefined) return null
  return {
    kind: 'status',
    wabaId,
    phoneNumberId,
    providerMessageId: data.id,
    status: data.status,
    occurredAt: data.timestamp,
    recipient: data.recipient_id,
    recipientUserId: data.recipient_user_id,
    callbackData: data.biz_opaque_callback_data,
    pricing: data.pricing,
    errors: data.errors.slice(0, MOST_ERRORS).map(readStatusError),
  }
}

function readPreferences(value: unknown, from: News, read: Reading): void {
  const { data } = preferencesValue.safeParse(value)
  if (data === undefined) return void read.ignore('user_preferences')
  const phoneNumberId = data.metadata.phone_number_id
  for (const each of read.counted(data.user_preferences)) {
    read.add(readPreference(from, phoneNumberId, each), 'user_preferences')
  }
}

function readPreference(from: News, phoneNumberId: string | null, value: unknown): PreferenceUpdate | null {
  const { data } = preferenceEntry.safeParse(value)
  if (data?.category !== 'marketing_messages') return null
  return {
    kind: 'preference',
    wabaId: from.wabaId,
    occurredAt: data.timestamp ?? from.occurredAt,
    phoneNumberId,
    recipient: data.wa_id,
    recipientUserId: data.user_id,
    wants: data.value !== 'stop',
  }
}

/**
 * A customer's message, which is passed on to endpoints and searched for opt-outs. Never stored: it
 * stays in memory.
 */
export interface ReceivedMessage extends Omit<PassedOn, 'senderId' | 'occurredAt'> {
  phoneNumberId: string | null
  /** Null if Meta gave no time. */
  occurredAt: number | null
}

export const LONGEST_TEXT = 65_536
const LONGEST_ID = 512

const cutText = z
  .string()
  .transform((value) => value.slice(0, LONGEST_TEXT))
  .nullable()
  .catch(null)
const messageId = z.string().min(1).max(LONGEST_ID).nullable().catch(null)
const phoneNumber = z
  .string()
  .regex(/^\d{1,20}$/)
  .nullable()
  .catch(null)
const chosen = z.object({ title: cutText }).nullable().catch(null)
const captioned = z.object({ caption: cutText }).nullable().catch(null)
/** Members with a customer's text or choice, by the type of the message. */
const content = {
  text: z.object({ body: cutText }).nullable().catch(null),
  button: z.object({ text: cutText }).nullable().catch(null),
  interactive: z.object({ button_reply: chosen, list_reply: chosen }).nullable().catch(null),
  image: captioned,
  video: captioned,
  document: captioned,
}
type Content = z.infer<z.ZodObject<typeof content>>

const receivedEntry = z.object({
  id: messageId,
  from: phoneNumber,
  from_user_id: messageId,
  group_id: messageId,
  type: z
    .string()
    .regex(/^[a-z_]{1,32}$/)
    .catch('unknown'),
  timestamp: seconds,
  context: z.object({ id: messageId }).nullable().catch(null),
  ...content,
  edit: z
    .object({ message: z.object(content) })
    .nullable()
    .catch(null),
})

export interface RenamedCustomer {
  phoneNumberId: string | null
  before: string[]
  after: string[]
}

const renamedEntry = z.object({
  from: phoneNumber,
  type: z.literal('system'),
  system: z.object({ wa_id: phoneNumber, user_id: messageId, previous_user_id: messageId }),
})

/** Returns null for other notices. */
function readRenamed(phoneNumberId: string | null, entry: unknown): RenamedCustomer | null {
  const { data } = renamedEntry.safeParse(entry)
  if (data === undefined) return null
  const { wa_id, user_id, previous_user_id } = data.system
  const before = [data.from, previous_user_id].filter((name) => name !== null)
  const after = [wa_id, user_id].filter((name) => name !== null)
  return before.length === 0 || after.length === 0 ? null : { phoneNumberId, before, after }
}

/** Types of WhatsApp's own notices in a chat, such as a customer's new number. */
const NOTICES = ['system']

/** Returns null for notices, messages in groups and messages without a sender. */
function readReceivedMessage(phoneNumberId: string | null, entry: unknown): ReceivedMessage | null {
  const parsed = receivedEntry.safeParse(entry)
  if (!parsed.success) return null
  const { from, from_user_id, group_id, type, timestamp, context, edit } = parsed.data
  if (group_id !== null || NOTICES.includes(type) || (from === null && from_user_id === null)) return null
  return {
    id: parsed.data.id,
    phoneNumberId,
    from,
    fromUserId: from_user_id,
    type,
    // For an edited message Meta gives the new text.
    text: textOf(edit?.message ?? parsed.data),
    replyTo: context?.id ?? null,
    occurredAt: timestamp,
  }
}

function textOf({ text, button, interactive, image, video, document }: Content): string | null {
  const choice = interactive?.button_reply?.title ?? interactive?.list_reply?.title
  const caption = image?.caption ?? video?.caption ?? document?.caption
  return text?.body ?? button?.text ?? choice ?? caption ?? null
}
