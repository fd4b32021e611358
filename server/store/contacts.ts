import { type Columns, flag, integer, integerOrNull, textOrNull } from './columns.ts'
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

/** WhatsApp's answers about numbers, so that it is not asked before every message. */
export interface ContactStore {
  get(senderId: number, phone: string): Promise<ContactRow | undefined>
  save(senderId: number, phone: string, jid: string | null, at: number): Promise<void>
  markKnown(senderId: number, phone: string): Promise<void>
  /** People with whom the account had a chat: they are known. All of them or none. */
  learn(senderId: number, chats: readonly ChatFacts[]): Promise<void>
  saveForm(senderId: number, phone: string, form: AddressForm, formWhile: AddressForm): Promise<void>
  /** `setAt` in seconds; an older one changes nothing. */
  saveTimer(senderId: number, phone: string, seconds: number | null, setAt: number): Promise<void>
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
