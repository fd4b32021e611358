import {
  type ConnectionState,
  type FirstContacts,
  firstContacts,
  type OfficialIds,
  officialIds,
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
} from './columns.ts'
import type { NewEvent } from './events.ts'

export interface SenderRow {
  id: number
  code: string
  kind: SenderKind
  settings: SenderSettings
  state: ConnectionState
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
  /** Ids of official senders. */
  official: OfficialIds | null
  /** Sealed secrets of official senders. */
  secrets: Buffer | null
  createdAt: number
}

export type NewSender = Pick<SenderRow, 'code' | 'kind' | 'settings' | 'state' | 'official' | 'createdAt'>

/** For the callbacks, written in the same transaction. */
export type SenderEvent = Omit<NewEvent, 'messageSeq'>

export interface SenderChange extends Partial<Omit<SenderRow, 'id' | 'code' | 'kind' | 'createdAt'>> {
  event?: SenderEvent
}

export interface SenderChangeOptions {
  /** Refused unless this node holds the sender. @throws StorageError `not_holder` */
  asHolder?: boolean | undefined
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
  change(
    id: number,
    decide: (sender: SenderRow) => SenderChange | null,
    options?: SenderChangeOptions,
  ): Promise<number[] | undefined>
  /**
   * No message is accepted for it from here on. Resolves with the endpoints that have a new
   * delivery.
   */
  remove(id: number, at: number, event?: SenderEvent): Promise<number[]>
  /** Ids of deleted ones. */
  deleted(): Promise<number[]>
}

export const SENDER: Columns<SenderRow> = {
  id: integer('id'),
  code: text('code'),
  kind: text('kind'),
  settings: json('settings', senderSettings),
  state: text('state'),
  reason: textOrNull('reason'),
  reasonDetail: textOrNull('reason_detail'),
  since: integer('since'),
  until: integerOrNull('until'),
  noConnectionBefore: integerOrNull('no_connection_before'),
  paused: flag('paused'),
  announced: text('announced'),
  phone: textOrNull('phone'),
  previousPhone: textOrNull('previous_phone'),
  accountName: textOrNull('account_name'),
  firstContacts: jsonOrNull('first_contacts', firstContacts),
  heardRestricted: flag('heard_restricted'),
  official: jsonOrNull('official', officialIds),
  secrets: blobOrNull('secrets'),
  createdAt: integer('created_at'),
}

/** Columns of a sender that was just added. */
export const UNSET_SENDER = {
  reason: null,
  reasonDetail: null,
  until: null,
  noConnectionBefore: null,
  paused: false,
  phone: null,
  previousPhone: null,
  accountName: null,
  firstContacts: null,
  heardRestricted: false,
} satisfies Partial<SenderRow>

/** Its columns as they are stored. */
export const storedSender = ({
  settings,
  official,
  firstContacts: contacts,
  paused,
  heardRestricted,
}: Pick<SenderRow, 'settings' | 'official' | 'firstContacts' | 'paused' | 'heardRestricted'>) => ({
  settings: JSON.stringify(settings),
  official: official === null ? null : JSON.stringify(official),
  firstContacts: contacts === null ? null : JSON.stringify(contacts),
  paused: Number(paused),
  heardRestricted: Number(heardRestricted),
})

/** The event that callers are taken to have got of a new sender. */
export const announcedAtFirst = ({ state }: Pick<NewSender, 'state'>): EventName =>
  state === 'connected' ? 'sender.linked' : 'sender.unlinked'
