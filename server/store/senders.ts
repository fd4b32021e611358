import { type OfficialIds, officialIds } from '../contract/official-senders.ts'
import {
  type ConnectionState,
  type FirstContacts,
  firstContacts,
  type SenderKind,
  type SenderSettings,
  senderSettings,
} from '../contract/senders.ts'
import type { EventName } from '../contract/webhooks.ts'
import {
  blobOrNull,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  text,
  textOrNull,
  writing,
} from './columns.ts'
import type { SenderEvent } from './events.ts'
import { inserting, overwriting, putting, type Statements } from './statements.ts'

/** Members that a new sender has and that may change later. */
interface SenderAtFirst {
  settings: SenderSettings
  state: ConnectionState
  /** Ids at Meta; null unless the sender is official. */
  official: OfficialIds | null
}

export interface NewSender extends SenderAtFirst {
  code: string
  kind: SenderKind
  createdAt: number
}

interface ChangingSender extends SenderAtFirst {
  reason: string | null
  /** WhatsApp's or Meta's own name of the reason. */
  reasonDetail: string | null
  /** When the state began. */
  since: number
  /** When the state ends by itself; null: not known. */
  until: number | null
  /** Kurir attempts no connection before this time; null: it may at any time. */
  noConnectionBefore: number | null
  /** True if the owner paused this one sender. */
  paused: boolean
  /** The connection event that callers got last. */
  announced: EventName
  phone: string | null
  /** When this number replaced another one; null: it is the first. */
  phoneSince: number | null
  /**
   * The previous number, if another one was linked while messages waited. They wait until the owner
   * confirms the new number.
   */
  previousPhone: string | null
  accountName: string | null
  /**
   * State of messages to people whom this number never wrote to; null: such messages are not held.
   */
  firstContacts: FirstContacts | null
  /** True if the last news to callers was that the sender is restricted. */
  heardRestricted: boolean
  /** Sealed secrets of an official sender. */
  secrets: Buffer | null
}

export interface SenderRow extends NewSender, ChangingSender {
  id: number
}

export interface SenderChange extends Partial<ChangingSender> {
  /** Event for callbacks, written in the same transaction. */
  event?: SenderEvent
}

/** Reads come from memory, and may be up to a second old in a shared database. */
export interface SenderStore {
  list(): SenderRow[]
  get(id: number): SenderRow | undefined
  byCode(code: string): SenderRow | undefined
  /** Returns the code of a sender, even of a deleted one whose messages are still stored. */
  codeOf(id: number): string

  /**
   * Returns the ids of all sandboxes, deleted ones included: their messages never count in figures.
   */
  sandboxes(): ReadonlySet<number>

  /** Adds a sender. `seal` gets the new id, because a sealed secret is bound to its row. */
  add(sender: NewSender, seal?: (id: number) => Buffer): Promise<SenderRow>
  /**
   * Changes a sender. `decide` must be pure. Resolves with the endpoints that have a new delivery,
   * or with undefined if nothing changed.
   */
  change(id: number, decide: (sender: SenderRow) => SenderChange | null): Promise<number[] | undefined>
  /**
   * Deletes a sender, so that no further message is accepted for it. Resolves with the endpoints
   * that have a new delivery.
   */
  remove(id: number, at: number, event?: SenderEvent): Promise<number[]>
  deleted(): Promise<number[]>
}

const FIRST: Columns<SenderAtFirst> = {
  settings: json('settings', senderSettings),
  state: text('state'),
  official: jsonOrNull('official', officialIds),
}

const NEW_SENDER: Columns<NewSender> = {
  code: text('code'),
  kind: text('kind'),
  createdAt: integer('created_at'),
  ...FIRST,
}

// Without the code: an UPDATE of a sender's code blocks accepts for this sender on PostgreSQL.
const CHANGING: Columns<ChangingSender> = {
  ...FIRST,
  reason: textOrNull('reason'),
  reasonDetail: textOrNull('reason_detail'),
  since: integer('since'),
  until: integerOrNull('until'),
  noConnectionBefore: integerOrNull('no_connection_before'),
  paused: flag('paused'),
  announced: text('announced'),
  phone: textOrNull('phone'),
  phoneSince: integerOrNull('phone_since'),
  previousPhone: textOrNull('previous_phone'),
  accountName: textOrNull('account_name'),
  firstContacts: jsonOrNull('first_contacts', firstContacts),
  heardRestricted: flag('heard_restricted'),
  secrets: blobOrNull('secrets'),
}

export const SENDER: Columns<SenderRow> = { id: integer('id'), ...NEW_SENDER, ...CHANGING }

/** Returns the event that callers count as having got for a new sender. */
const announcedAtFirst = ({ state }: NewSender): EventName =>
  state === 'connected' ? 'sender.linked' : 'sender.unlinked'

/** Inserts a sender without its secrets, because these are sealed with its id. */
export const insertSender = inserting<NewSender>('senders', {
  ...writing(NEW_SENDER),
  since: ({ createdAt }) => createdAt,
  announced: announcedAtFirst,
})

export const updateSender = overwriting<SenderRow>('senders', writing(CHANGING))

export type KeptSenders = ReturnType<typeof keepSenders>

/**
 * Keeps senders in memory, because they are few and every request needs them. Changes write the
 * database first.
 */
export function keepSenders({ rows, keep }: Statements) {
  let byId = new Map<number, SenderRow>()
  let byCode = new Map<string, SenderRow>()
  let codes = new Map<number, string>()
  let sandboxes: ReadonlySet<number> = new Set()
  const all = rows(SENDER, 'FROM senders WHERE deleted_at IS NULL ORDER BY id')
  const ever = rows({ id: integer('id'), code: text('code'), kind: text('kind') }, 'FROM senders')
  const deleted = rows({ id: integer('id') }, 'FROM senders WHERE deleted_at IS NOT NULL ORDER BY id')
  const { reload } = keep('senders', async () => {
    const [there, known] = [await all(), await ever()]
    byId = new Map(there.map((row) => [row.id, row]))
    byCode = new Map(there.map((row) => [row.code, row]))
    codes = new Map(known.map(({ id, code }) => [id, code]))
    sandboxes = new Set(known.flatMap(({ id, kind }) => (kind === 'sandbox' ? [id] : [])))
  })
  const reads = {
    list: () => [...byId.values()],
    get: (id: number) => byId.get(id),
    byCode: (code: string) => byCode.get(code),
    codeOf: (id: number) => codes.get(id) ?? '',
    sandboxes: () => sandboxes,
    deleted: async () => (await deleted()).map(({ id }) => id),
  } satisfies Partial<SenderStore>
  async function added(id: number): Promise<SenderRow> {
    await reload()
    return byId.get(id) ?? Promise.reject(new Error(`sender ${id} is not there after it was added`))
  }
  /** True for a sandbox, whose messages count in no figures. */
  const isSandbox = (id: number): boolean => sandboxes.has(id)
  return { reads, reload, added, isSandbox }
}

/** State of a sender's sending, kept across restarts. Times are milliseconds since 1970. */
export interface SendingState {
  /** Pacing: the next message leaves no earlier than this. */
  pacedUntil: number
  /** Local day that `sentOnDay` counts. */
  day: string
  sentOnDay: number
  lastSentAt: number | null
  /** WhatsApp refuses first contacts (463) until this time. */
  restrictedUntil: number
  /** Restrictions in a row. The wait grows with their number. */
  restrictions: number
}

export const NOTHING_SENT: SendingState = {
  pacedUntil: 0,
  day: '',
  sentOnDay: 0,
  lastSentAt: null,
  restrictedUntil: 0,
  restrictions: 0,
}

export interface SendingStateStore {
  get(senderId: number): Promise<SendingState>
  /** States of all senders that have ever sent. */
  all(): Promise<ReadonlyMap<number, SendingState>>
  /** Changes the state of a sender. `update` must be pure. */
  change(senderId: number, update: (state: SendingState) => SendingState): Promise<void>
}

export const SENDING_STATE: Columns<SendingState> = {
  pacedUntil: integer('paced_until'),
  day: text('day'),
  sentOnDay: integer('sent_on_day'),
  lastSentAt: integerOrNull('last_sent_at'),
  restrictedUntil: integer('restricted_until'),
  restrictions: integer('restrictions'),
}

const ROW = { senderId: integer('sender_id'), ...SENDING_STATE }

export const putSendingState = putting('sending_state', writing(ROW), 'sender_id')

export function createSendingStateReads({ rows, one }: Statements) {
  const find = one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1')
  const all = rows(ROW, 'FROM sending_state')
  return {
    get: async (senderId) => (await find(senderId)) ?? NOTHING_SENT,
    all: async () => new Map((await all()).map(({ senderId, ...state }) => [senderId, state])),
  } satisfies Partial<SendingStateStore>
}
