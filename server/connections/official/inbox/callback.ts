import { z } from 'zod'
import { jsonSize, withoutNul } from '../../../lib/json.ts'
import type { ReceivedMessage as PassedOn } from '../../../senders/customers.ts'
import { digits, id, items, name, optional, optionalCode, seconds } from '../graph/members.ts'
import { readStatusError } from '../graph/provider-error.ts'
import { UPDATE_READERS } from './update-readers.ts'
import { type News, type PreferenceUpdate, REPORTED, type StatusUpdate, type Update } from './updates.ts'

export interface Callback {
  /** Updates to apply, in Meta's order. Hold nothing that a customer wrote, and may be stored. */
  updates: Update[]
  /** Messages of customers, reduced. Not to be stored. */
  received: ReceivedMessage[]
  /** Customers with another number, or ID of Meta's, than before. Not to be stored. */
  renamed: RenamedCustomer[]
  /** Names of the fields and kinds that nothing is done about, each once. */
  ignored: string[]
}

// Meta nests about ten levels. What lies far deeper was not written by Meta, and could not be
// written back as JSON.
const DEEPEST = 64
// Meta puts at most 1,000 updates into a body.
const MOST_ITEMS = 10_000
const MOST_ERRORS = 5
const MOST_IGNORED = 20

const envelope = z.object({ entry: z.array(z.unknown()) })
const entry = z.object({ id, time: seconds, changes: items })
const change = z.object({ field: z.string().catch('unknown'), value: z.unknown().optional() })

/** Meta means to leave `billable` out: the type says the same. */
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

/** The fields that are read: what the app has to subscribe to at Meta. */
export const CALLBACK_FIELDS: readonly string[] = ['messages', 'user_preferences', ...Object.keys(UPDATE_READERS)]

/**
 * Everything that a callback's raw body says, reduced to what is used.
 * @returns null when the body is no JSON, is nested too deep or holds more than Meta ever puts into
 *   one
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

  /** Only names of Meta's own: the value of such a member could be anything. */
  function ignore(what: string): void {
    if (ignored.size < MOST_IGNORED) ignored.add(/^[a-z_.]{1,64}$/.test(what) ? what : 'unknown')
  }

  return {
    /**
     * Every item counts, also one that is not used: what is read is bounded and not only what is
     * kept.
     */
    counted<T>(list: readonly T[]): readonly T[] {
      seen += list.length
      return seen > MOST_ITEMS ? [] : list
    },
    /** Takes an update, or ignores what was none. */
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
  // Beside a message they are about that message, of which nothing is kept.
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
 * A customer's message, as it is passed on to endpoints and searched for opt-outs. It lives in
 * memory only: of what customers write nothing is stored.
 */
export interface ReceivedMessage extends Omit<PassedOn, 'senderId' | 'occurredAt'> {
  phoneNumberId: string | null
  /** `null` when Meta gave no time. */
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
/** Members that hold what a customer wrote or chose, each by the name of its type. */
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

/** `null`: a notice about something else. */
function readRenamed(phoneNumberId: string | null, entry: unknown): RenamedCustomer | null {
  const { data } = renamedEntry.safeParse(entry)
  if (data === undefined) return null
  const { wa_id, user_id, previous_user_id } = data.system
  const before = [data.from, previous_user_id].filter((name) => name !== null)
  const after = [wa_id, user_id].filter((name) => name !== null)
  return before.length === 0 || after.length === 0 ? null : { phoneNumberId, before, after }
}

/** Notices of WhatsApp in a chat, such as a new number of the customer: nobody wrote them. */
const NOTICES = ['system']

/**
 * @returns null for what is no message of one customer: a notice, a message in a group, one from
 *   nobody
 */
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
    // Of an edited message Meta gives the new text.
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
