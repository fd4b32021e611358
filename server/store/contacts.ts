import type { Purpose } from '../contract/messages.ts'
import type { SuppressionScope, SuppressionSource } from '../contract/suppressions.ts'
import { isoTime } from '../lib/clock.ts'
import { type Columns, flag, integer, integerOrNull, text, textOrNull, type Written, writing } from './columns.ts'
import type { NewEvent } from './events.ts'
import { type Bound, bound, putting, type Reads, type Statements } from './statements.ts'

/** Form of an address: by WhatsApp's hidden id, or by phone number. */
export type AddressForm = 'lid' | 'pn'

export interface ContactRow {
  /** Null: WhatsApp said that this number has no account. */
  jid: string | null
  checkedAt: number
  /**
   * True if WhatsApp acknowledged a message to them, one of theirs came, or they had a chat before
   * Kurir was linked.
   */
  known: boolean
  /**
   * The form that WhatsApp accepted after it refused the account's own form. Valid while the
   * account uses `formWhile`.
   */
  form: AddressForm | null
  formWhile: AddressForm | null
  /** Messages of this chat disappear after so many seconds; null: they stay. */
  timer: number | null
  /** Time of the last message in either direction, in milliseconds. Null: not known. */
  lastMessageAt: number | null
}

export interface ChatFacts {
  phone: string
  lastMessageAt: number | null
  /** `setAt`, in seconds since 1970, tells which of two timers is newer. */
  timer: { seconds: number; setAt: number } | null
}

/** A fact about a contact that Kurir learns by itself. */
export type ContactChange =
  /** WhatsApp's answer about the number. */
  | { jid: string | null; checkedAt: number }
  | { form: AddressForm; formWhile: AddressForm }
  /**
   * Timer in seconds. `setAt` is in seconds since 1970; a timer older than the stored one changes
   * nothing.
   */
  | { timer: number | null; setAt: number }

/** WhatsApp's answers about numbers, kept so that Kurir does not ask before every message. */
export interface ContactStore {
  get(senderId: number, phone: string): Promise<ContactRow | undefined>
  change(senderId: number, phone: string, change: ContactChange): Promise<void>
  /**
   * Stores people with whom the account had a chat, and marks them as known. Writes all of them or
   * none.
   */
  learn(senderId: number, chats: readonly ChatFacts[]): Promise<void>
  forget(senderId: number): Promise<void>
  /**
   * Resolves with the time (ms) until which Meta takes no marketing message to a person (its code
   * 131049); null: it takes them.
   */
  heldUntil(senderId: number, recipient: string, now: number): Promise<number | null>
}

const CONTACT: Columns<ContactRow> = {
  jid: textOrNull('jid'),
  checkedAt: integer('checked_at'),
  known: flag('known'),
  form: textOrNull('form'),
  formWhile: textOrNull('form_while'),
  timer: integerOrNull('timer'),
  lastMessageAt: integerOrNull('last_message_at'),
}

const KNOW = `UPDATE SET known = 1, last_message_at = CASE WHEN excluded.last_message_at > coalesce(contacts.last_message_at, 0)
  THEN excluded.last_message_at ELSE contacts.last_message_at END`

/** Marks a person as known: somebody wrote to or heard from them at `at`. */
export const knowContact = (senderId: number, phone: string, at: number): Bound =>
  bound(
    `INSERT INTO contacts (sender_id, phone, checked_at, known, last_message_at) VALUES ($1, $2, 0, 1, $3)
     ON CONFLICT (sender_id, phone) DO ${KNOW}`,
    ...[senderId, phone, at],
  )

const LEARNED: Written<ChatFacts & { senderId: number }> = {
  sender_id: ({ senderId }) => senderId,
  phone: ({ phone }) => phone,
  checked_at: () => 0,
  known: () => 1,
  last_message_at: ({ lastMessageAt }) => lastMessageAt,
  timer: ({ timer }) => timer?.seconds ?? null,
  timer_set_at: ({ timer }) => timer?.setAt ?? 0,
}

export function createContacts({ one, bind, insert, write }: Statements): ContactStore {
  const find = one(CONTACT, 'FROM contacts WHERE sender_id = $1 AND phone = $2')
  const answered = bind(
    `INSERT INTO contacts (sender_id, phone, jid, checked_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (sender_id, phone) DO UPDATE SET jid = excluded.jid, checked_at = excluded.checked_at`,
  )
  const formed = bind(
    `INSERT INTO contacts (sender_id, phone, checked_at, form, form_while) VALUES ($1, $2, 0, $3, $4)
     ON CONFLICT (sender_id, phone) DO UPDATE SET form = excluded.form, form_while = excluded.form_while`,
  )
  const timed = bind(
    `INSERT INTO contacts (sender_id, phone, checked_at, timer, timer_set_at) VALUES ($1, $2, 0, $3, $4)
     ON CONFLICT (sender_id, phone) DO UPDATE SET timer = excluded.timer, timer_set_at = excluded.timer_set_at
     WHERE excluded.timer_set_at >= contacts.timer_set_at`,
  )
  const learn = insert(
    'contacts',
    LEARNED,
    `ON CONFLICT (sender_id, phone) DO ${KNOW},
       timer = CASE WHEN excluded.timer IS NOT NULL AND excluded.timer_set_at >= contacts.timer_set_at
         THEN excluded.timer ELSE contacts.timer END,
       timer_set_at = CASE WHEN excluded.timer_set_at > contacts.timer_set_at
         THEN excluded.timer_set_at ELSE contacts.timer_set_at END`,
  )
  const forget = bind('DELETE FROM contacts WHERE sender_id = $1')
  const hold = one(
    { until: integer('until') },
    'FROM marketing_holds WHERE sender_id = $1 AND recipient = $2 AND until > $3',
  )
  return {
    get: find,
    async change(senderId, phone, change) {
      if ('jid' in change) await write(answered(senderId, phone, change.jid, change.checkedAt))
      else if ('form' in change) await write(formed(senderId, phone, change.form, change.formWhile))
      else await write(timed(senderId, phone, change.timer, change.setAt))
    },
    async learn(senderId, chats) {
      // The last chat of each number counts.
      const named = new Map(chats.map((chat) => [chat.phone, { ...chat, senderId }]))
      await write(...learn([...named.values()]))
    },
    async forget(senderId) {
      await write(forget(senderId))
    },
    heldUntil: async (senderId, recipient, now) => (await hold(senderId, recipient, now))?.until ?? null,
  }
}

export interface OptOut {
  phone: string
  /** Null: every sender. */
  senderId: number | null
  scope: SuppressionScope
}

export interface Suppression extends OptOut {
  source: SuppressionSource
  at: number
}

/** True if a person with this opt-out wants no message of this purpose. */
export const isUnwanted = (scope: SuppressionScope | null, purpose: Purpose): scope is SuppressionScope =>
  scope === 'all' || (scope === 'marketing' && purpose === 'marketing')

interface SuppressionRow extends Suppression {
  id: number
}

export interface SuppressionFilter {
  phone?: string | undefined
  /** Limits the list to opt-outs at this sender and at all senders. */
  senderId?: number | undefined
  /** Opt-outs older than this id. */
  before?: number | undefined
  limit: number
}

/**
 * Opt-outs. A change and its event are one transaction; both changes resolve with the endpoints to
 * wake.
 */
export interface SuppressionStore {
  /** Resolves with the scope of a number's opt-out at a sender; null: none. */
  scopeOf(senderId: number, phone: string): Promise<SuppressionScope | null>
  /** Newest first. */
  list(filter: SuppressionFilter): Promise<SuppressionRow[]>
  /**
   * Resolves with undefined if the opt-out is stored already, or (unless `mayNarrow`) if the person
   * wants nothing at all.
   */
  put(suppression: Suppression, senderCode: string | null, mayNarrow?: boolean): Promise<number[] | undefined>
  /** Resolves with undefined if there is no such opt-out. `by` is for the event. */
  remove(
    name: { phone: string; senderId: number | null },
    by: { source: SuppressionSource; at: number },
    senderCode: string | null,
  ): Promise<number[] | undefined>
}

const NEW_SUPPRESSION = {
  phone: text('phone'),
  scope: text<SuppressionScope>('scope'),
  source: text<SuppressionSource>('source'),
  at: integer('at'),
}
export const SUPPRESSION: Columns<SuppressionRow> = {
  id: integer('id'),
  senderId: integerOrNull('nullif(sender_id, 0)'),
  ...NEW_SUPPRESSION,
}

/** Returns the scope of an opt-out at a sender, from rows of one number; null: none. */
export function scopeFor(
  rows: readonly { senderId: number | null; scope: SuppressionScope }[],
  senderId: number,
): SuppressionScope | null {
  const ofAll = rows.find((row) => row.senderId === null)?.scope ?? null
  return ofAll === 'all' ? ofAll : (rows.find((row) => row.senderId === senderId)?.scope ?? ofAll)
}

/**
 * True if nothing is to be written. A customer who wants nothing at all still does after refusing
 * advertising.
 */
export const isKnownSuppression = (
  known: SuppressionScope | undefined,
  scope: SuppressionScope,
  mayNarrow: boolean,
): boolean => known === scope || (known === 'all' && !mayNarrow)

/**
 * Returns the event of a change.
 * @param now when the event is written
 */
export function announcementOf(
  type: 'contact.opted_out' | 'contact.opted_in',
  { phone, scope, source, at }: Suppression,
  senderCode: string | null,
  now: number,
): NewEvent {
  const data = { sender_code: senderCode, phone, scope, source, occurred_at: isoTime(at) }
  return { type, messageSeq: null, senderCode, at: now, data }
}

export const putSuppression = putting<Suppression>(
  'suppressions',
  { ...writing(NEW_SUPPRESSION), sender_id: ({ senderId }) => senderId ?? 0 },
  ...['phone', 'sender_id'],
)

export const removeSuppression = (id: number): Bound => bound('DELETE FROM suppressions WHERE id = $1', id)

export function createSuppressionList({ rows }: Reads) {
  const list = rows(
    SUPPRESSION,
    `FROM suppressions WHERE (CAST($1 AS TEXT) IS NULL OR phone = $1)
       AND (CAST($2 AS BIGINT) IS NULL OR sender_id IN (0, $2)) AND (CAST($3 AS BIGINT) IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
  )
  return {
    list: ({ phone = null, senderId = null, before = null, limit }) => list(phone, senderId, before, limit),
  } satisfies Partial<SuppressionStore>
}

/** Stores a hold until a time; an earlier end than the stored one changes nothing. */
export const holdMarketing = (senderId: number, recipient: string, until: number): Bound =>
  bound(
    `INSERT INTO marketing_holds (sender_id, recipient, until) VALUES ($1, $2, $3)
     ON CONFLICT (sender_id, recipient) DO UPDATE SET until = excluded.until WHERE marketing_holds.until < excluded.until`,
    ...[senderId, recipient, until],
  )
