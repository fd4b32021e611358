import { type Columns, flag, integer, integerOrNull, textOrNull, type Written } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

/** The form of an address: by WhatsApp's hidden id or by phone number. */
export type AddressForm = 'lid' | 'pn'

export interface ContactRow {
  /** Null: WhatsApp said that this number has no account. */
  jid: string | null
  checkedAt: number
  /**
   * A message of ours was acknowledged, one of theirs came, or they had a chat before Kurir was
   * linked.
   */
  known: boolean
  /**
   * The form that WhatsApp took after it had refused the account's own; it counts while the account
   * uses `formWhile`.
   */
  form: AddressForm | null
  formWhile: AddressForm | null
  /** Messages of this chat disappear after so many seconds; null: they stay. */
  timer: number | null
  /** When the last message was, either way; milliseconds. Null: not known. */
  lastMessageAt: number | null
}

/** A contact as a chat describes it. */
export interface ChatFacts {
  phone: string
  lastMessageAt: number | null
  /** Seconds; `setAt` in seconds since 1970 says which of two is newer. */
  timer: { seconds: number; setAt: number } | null
}

/** A fact about a contact that is learned by itself. */
export type ContactChange =
  /** WhatsApp's answer about the number. */
  | { jid: string | null; checkedAt: number }
  | { form: AddressForm; formWhile: AddressForm }
  /** Seconds; `setAt` in seconds since 1970: an older one changes nothing. */
  | { timer: number | null; setAt: number }

/** WhatsApp's answers about numbers, so that it is not asked before every message. */
export interface ContactStore {
  get(senderId: number, phone: string): Promise<ContactRow | undefined>
  change(senderId: number, phone: string, change: ContactChange): Promise<void>
  /** People with whom the account had a chat: they are known. All of them or none. */
  learn(senderId: number, chats: readonly ChatFacts[]): Promise<void>
  /** All contacts of a sender. */
  forget(senderId: number): Promise<void>
}

export const CONTACT: Columns<ContactRow> = {
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

/** Somebody wrote to or heard from this person at `at`. */
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
  return {
    get: find,
    async change(senderId, phone, change) {
      if ('jid' in change) await write(answered(senderId, phone, change.jid, change.checkedAt))
      else if ('form' in change) await write(formed(senderId, phone, change.form, change.formWhile))
      else await write(timed(senderId, phone, change.timer, change.setAt))
    },
    async learn(senderId, chats) {
      // The last word about each counts.
      const named = new Map(chats.map((chat) => [chat.phone, { ...chat, senderId }]))
      await write(...learn([...named.values()]))
    },
    async forget(senderId) {
      await write(forget(senderId))
    },
  }
}
