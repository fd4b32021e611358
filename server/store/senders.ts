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

/** Members that a new sender has already and that change. */
interface SenderAtFirst {
  settings: SenderSettings
  state: ConnectionState
  /** Ids of official senders. */
  official: OfficialIds | null
}

export interface NewSender extends SenderAtFirst {
  code: string
  kind: SenderKind
  createdAt: number
}

/** Members of a sender that change. */
interface ChangingSender extends SenderAtFirst {
  reason: string | null
  /** WhatsApp's or Meta's own name of the reason. */
  reasonDetail: string | null
  /** When the state began. */
  since: number
  /** When the state ends by itself; null: not known. */
  until: number | null
  /** No connection is attempted before; null: at any time. */
  noConnectionBefore: number | null
  /** By the owner, this one sender. */
  paused: boolean
  /** The event of its connection that callers got last. */
  announced: EventName
  phone: string | null
  /** When that number took the place of another one; null: it is the first. */
  phoneSince: number | null
  /**
   * Another number was linked while messages waited: the one until then. They wait until the owner
   * confirms the new one.
   */
  previousPhone: string | null
  accountName: string | null
  /** State of messages to people this number never wrote to; null: they are not held. */
  firstContacts: FirstContacts | null
  /** True if callers heard last that it is restricted. */
  heardRestricted: boolean
  /** Sealed secrets of official senders. */
  secrets: Buffer | null
}

export interface SenderRow extends NewSender, ChangingSender {
  id: number
}

export interface SenderChange extends Partial<ChangingSender> {
  /** For the callbacks, written in the same transaction. */
  event?: SenderEvent
}

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface SenderStore {
  list(): SenderRow[]
  get(id: number): SenderRow | undefined
  byCode(code: string): SenderRow | undefined
  /** Also of a deleted sender, whose messages are still there. */
  codeOf(id: number): string

  /**
   * Ids of every sandbox there is or was: what is played counts nowhere, also after its sender was
   * deleted.
   */
  sandboxes(): ReadonlySet<number>

  /** `seal` gets the new id, because a sealed secret is bound to its row. */
  add(sender: NewSender, seal?: (id: number) => Buffer): Promise<SenderRow>
  /**
   * `decide` is pure. Resolves with the endpoints that have a new delivery; with undefined where
   * nothing changed.
   */
  change(id: number, decide: (sender: SenderRow) => SenderChange | null): Promise<number[] | undefined>
  /**
   * No message is accepted for it from here on. Resolves with the endpoints that have a new
   * delivery.
   */
  remove(id: number, at: number, event?: SenderEvent): Promise<number[]>
  /** Ids of deleted ones. */
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

// An UPDATE that names the code of a sender locks out accepts for it on PostgreSQL.
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

/** The event that callers are taken to have got of a new sender. */
const announcedAtFirst = ({ state }: NewSender): EventName =>
  state === 'connected' ? 'sender.linked' : 'sender.unlinked'

/** A new one without its secrets, which are sealed with its id. */
export const insertSender = inserting<NewSender>('senders', {
  ...writing(NEW_SENDER),
  since: ({ createdAt }) => createdAt,
  announced: announcedAtFirst,
})

export const updateSender = overwriting<SenderRow>('senders', writing(CHANGING))

export type KeptSenders = ReturnType<typeof keepSenders>

/**
 * Few, and asked for with every request, so they are kept in memory; the database is written first.
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
  /** The row that was just added; it is in memory from then on. */
  async function added(id: number): Promise<SenderRow> {
    await reload()
    return byId.get(id) ?? Promise.reject(new Error(`sender ${id} is not there after it was added`))
  }
  /** Messages of a sandbox count nowhere. */
  const isSandbox = (id: number): boolean => sandboxes.has(id)
  return { reads, reload, added, isSandbox }
}

/** Counts of a sender's sends, over restarts. Times are milliseconds since 1970. */
export interface SendingState {
  /** Pacing: the next message leaves no earlier. */
  pacedUntil: number
  /** Local day that `sentOnDay` counts. */
  day: string
  sentOnDay: number
  lastSentAt: number | null
  /** WhatsApp refuses first contacts (463) until then. */
  restrictedUntil: number
  /** Restrictions in a row; the wait grows with them. */
  restrictions: number
}

/** State of a sender that never sent. */
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
  /** `update` is pure. */
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
