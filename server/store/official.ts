import { z } from 'zod'
import type { Status } from '../contract/messages.ts'
import {
  accountReason,
  accountStanding,
  newsKind,
  newsSeverity,
  type SenderCheck,
  type SetupReason,
  senderCheck,
} from '../contract/official-senders.ts'
import { DAY } from '../lib/clock.ts'
import { blob, type Columns, integer, integerOrNull, json, jsonOrNull, text, textOrNull, writing } from './columns.ts'
import type { Urgency } from './messages.ts'
import { type Bound, bound, inserting, putting, type Statements } from './statements.ts'

const coming = z.object({ category: z.string(), at: z.number().nullable() })
/** The category that Meta will change a template to, and when (milliseconds since 1970). */
export type ComingCategory = z.infer<typeof coming>

interface TemplatePlace {
  name: string
  language: string
}

interface TemplateNotes {
  /** Meta's reason why the template cannot be sent; null: it can. */
  trouble: string | null
  coming: ComingCategory | null
}

export interface TemplateRow extends TemplatePlace, TemplateNotes {
  /** The template as Meta lists it. */
  body: unknown
  syncedAt: number
}

interface NewTemplate extends TemplatePlace {
  body: object
  category: string | null
  sendable: boolean
}

/** Returns the notes that still hold for a template after it was read again. */
export function notesAfter(
  { sendable, category }: NewTemplate,
  before: TemplateNotes | undefined,
  now: number,
): TemplateNotes {
  const { trouble = null, coming = null } = before ?? {}
  // The announced change is over when Meta made it, or when a day has passed since its date.
  const isOver = coming?.category === category || (coming?.at ?? now) < now - DAY
  return { trouble: sendable ? null : trouble, coming: isOver ? null : coming }
}

/** Meta's templates of each official sender, as last read. */
export interface TemplateStore {
  /** Rises when another node changed templates. Read from memory. */
  revision(): number
  list(senderId: number): Promise<TemplateRow[]>
  /**
   * Stores the templates of a sender, or with `name` all languages of one. If the list in `rows` is
   * `whole`, removes all others, because they were deleted at Meta.
   */
  replace(
    senderId: number,
    name: string | null,
    rows: readonly NewTemplate[],
    at: number,
    whole: boolean,
  ): Promise<void>
  change(senderId: number, row: TemplatePlace & TemplateNotes & { body: object }): Promise<void>
}

export const TEMPLATE: Columns<TemplateRow> = {
  name: text('name'),
  language: text('language'),
  body: json('body', z.unknown()),
  syncedAt: integer('synced_at'),
  trouble: textOrNull('trouble'),
  coming: jsonOrNull('coming', coming),
}

export const STORED_TEMPLATE = writing({ senderId: integer('sender_id'), ...TEMPLATE })
export const TEMPLATE_KEY = ['sender_id', 'name', 'language']

/** Returns the key of a template among those of its sender. */
export const templateKeyOf = ({ name, language }: TemplatePlace): string => `${name} ${language}`

export const changeTemplate = (
  senderId: number,
  { name, language, body, trouble, coming: next }: TemplatePlace & TemplateNotes & { body: object },
): Bound =>
  bound(
    'UPDATE templates SET body = $4, trouble = $5, coming = $6 WHERE sender_id = $1 AND name = $2 AND language = $3',
    ...[senderId, name, language, JSON.stringify(body), trouble, next === null ? null : JSON.stringify(next)],
  )

const nullableText = z.string().nullable()
const nullableTime = z.number().nullable()

const account = z.object({
  standing: accountStanding,
  reason: accountReason.nullable(),
  /**
   * Meta's own name or code of the reason, such as `RESTRICTED_BIZ_INITIATED_MESSAGING`, `SPAM`,
   * `131031`.
   */
  detail: nullableText,
  /** When Meta reported it. An older report changes nothing. */
  since: z.number(),
  /** When it begins, if Meta only announced it. */
  from: nullableTime,
  /** When it ends, if Meta says so; after a refused send, when Kurir tries again. */
  until: nullableTime,
})
/** Meta's judgement of a business account, as far as Meta reported it. */
export type AccountState = z.infer<typeof account>

const messagingLimit = z.union([z.number(), z.literal('unlimited')])
/** Number of people that a business may write to first within 24 hours. */
export type MessagingLimit = z.infer<typeof messagingLimit>

const limitChange = z.object({ at: z.number(), from: messagingLimit, to: messagingLimit })

const numberFacts = z.object({
  quality: nullableText,
  /** When a check first found this quality. */
  qualitySince: nullableTime,
  status: nullableText,
  nameStatus: nullableText,
  canSend: nullableText,
  throughput: nullableText,
  limit: messagingLimit.nullable(),
})
export type NumberFacts = z.infer<typeof numberFacts>

const news = z.object({
  kind: newsKind,
  /** Meta's own name of the news, such as `PIN_CHANGED`. */
  code: z.string(),
  severity: newsSeverity,
  at: z.number(),
  detail: nullableText,
})
export type OfficialNews = z.infer<typeof news>

/**
 * Facts about an official sender besides what its owner entered. Times are milliseconds since 1970.
 */
export interface OfficialFacts {
  checks: SenderCheck[]
  checkedAt: number | null
  templatesSyncedAt: number | null
  /** When Meta last sent a callback about this sender's messages. */
  lastStatusAt: number | null
  /** The first thing to correct; null: nothing, as far as Meta says. */
  setupReason: SetupReason | null
  /** Null: Meta reported nothing. */
  account: AccountState | null
  number: NumberFacts | null
  /** When the access token expires; null: never, or Meta did not say. */
  tokenEndsAt: number | null
  /** The last change of the limit that Kurir saw. */
  limitChange: z.infer<typeof limitChange> | null
  /** Newest last. */
  news: OfficialNews[]
}

export interface OfficialFactsStore {
  get(senderId: number): Promise<OfficialFacts>
  /**
   * Changes the facts. `decide` must be pure, and gets the stored facts. Resolves with the new
   * ones.
   */
  change(
    senderId: number,
    decide: (facts: OfficialFacts) => Partial<OfficialFacts>,
    urgency?: Urgency,
  ): Promise<OfficialFacts>
}

export const FACTS: Columns<OfficialFacts> = {
  // Checks of another version count as missing, and are made again.
  checks: json('checks', z.array(senderCheck).catch([])),
  checkedAt: integerOrNull('checked_at'),
  templatesSyncedAt: integerOrNull('templates_synced_at'),
  lastStatusAt: integerOrNull('last_status_at'),
  setupReason: textOrNull('setup_reason'),
  account: jsonOrNull('account', account),
  number: jsonOrNull('number', numberFacts),
  tokenEndsAt: integerOrNull('token_ends_at'),
  limitChange: jsonOrNull('limit_change', limitChange),
  news: json('news', z.array(news)),
}

export const NO_FACTS: OfficialFacts = {
  checks: [],
  checkedAt: null,
  templatesSyncedAt: null,
  lastStatusAt: null,
  setupReason: null,
  account: null,
  number: null,
  tokenEndsAt: null,
  limitChange: null,
  news: [],
}

export const putFacts = putting('official_facts', writing({ senderId: integer('sender_id'), ...FACTS }), 'sender_id')

/** The part of one of Meta's callbacks that Kurir has to apply. */
export interface InboxRow {
  seq: number
  /** Senders whose app secret signed the callback. */
  senderIds: number[]
  body: Buffer
  receivedAt: number
}

/** A status that came before the message's id was known. */
interface EarlyStatus {
  senderId: number
  providerMessageId: string
  status: string
  update: unknown
  receivedAt: number
}

/** Meta's callbacks: stored first, applied afterwards. */
export interface InboxStore {
  /** True if a callback with this digest was added before. */
  has(digest: Uint8Array): Promise<boolean>
  /**
   * Adds a callback. `body` is the part to apply; null: none, so only the digest is kept. Resolves
   * with false if the callback was added before.
   */
  add(digest: Uint8Array, senderIds: readonly number[], body: Uint8Array | null, at: number): Promise<boolean>
  /** Returns the oldest waiting bodies, at most `bytes` together, but always one. */
  waiting(bytes: number): Promise<InboxRow[]>
  /** Keeps only the digests of these callbacks. */
  applied(seqs: readonly number[], at: number, urgency?: Urgency): Promise<void>
  /**
   * Keeps a status until its message id is known; resolves with false if the id is known by now.
   */
  keepEarly(status: EarlyStatus): Promise<boolean>
  early(senderId: number, providerMessageId: string): Promise<EarlyStatus[]>
  /**
   * Finds early statuses whose message is known by now, because the program ended before they were
   * applied.
   */
  ripe(): Promise<{ senderId: number; providerMessageId: string }[]>
  dropEarly(status: Pick<EarlyStatus, 'senderId' | 'providerMessageId' | 'status'>): Promise<void>
}

export const INBOX: Columns<InboxRow> = {
  seq: integer('seq'),
  senderIds: json('sender_ids', z.array(z.number())),
  body: blob('body'),
  receivedAt: integer('received_at'),
}

const EARLY_STATUS: Columns<EarlyStatus> = {
  senderId: integer('sender_id'),
  providerMessageId: text('provider_message_id'),
  status: text('status'),
  update: json('body', z.unknown()),
  receivedAt: integer('received_at'),
}

export const putEarly = inserting('early_statuses', writing(EARLY_STATUS), 'ON CONFLICT DO NOTHING')

export function createInbox({ rows, one, bind, write }: Statements) {
  const byDigest = one({ seq: integer('seq') }, 'FROM meta_inbox WHERE digest = $1')
  const put = bind(
    `INSERT INTO meta_inbox (digest, sender_ids, body, received_at, applied_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
  )
  const dropEarly = bind('DELETE FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2 AND status = $3')
  return {
    has: async (digest) => (await byDigest(digest)) !== undefined,
    add: async (digest, senderIds, body, at) =>
      (await write(put(digest, JSON.stringify(senderIds), body ?? Buffer.alloc(0), at, body === null ? at : null))) > 0,
    early: rows(EARLY_STATUS, 'FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2'),
    ripe: rows(
      { senderId: integer('e.sender_id'), providerMessageId: text('e.provider_message_id') },
      `FROM early_statuses e JOIN messages m ON m.provider_message_id = e.provider_message_id
         AND m.lane_id = e.sender_id GROUP BY e.sender_id, e.provider_message_id`,
    ),
    async dropEarly({ senderId, providerMessageId, status }) {
      await write(dropEarly(senderId, providerMessageId, status))
    },
  } satisfies Partial<InboxStore>
}

interface UnsettledRow {
  seq: number
  providerMessageId: string
  createdAt: number
}

/** Official messages that lack a status. */
export interface OfficialMessageStore {
  /**
   * Ids of template messages that have been in `status` since before `ms` and that no lane will try
   * again.
   */
  templatesIn(status: Status, ms: number, limit: number): Promise<string[]>
  /**
   * When Meta accepted the first template message that has no further status, of those created in a
   * span of time; null: there is none.
   */
  silentSince(laneId: number, from: number, to: number): Promise<number | null>
  /** Template messages without a final status, created in a span of time, after a `seq`. */
  unsettled(laneId: number, after: number, from: number, to: number, limit: number): Promise<UnsettledRow[]>
  /** Returns the number of the newest message to a person whom Meta names by this id. */
  numberOf(laneId: number, userId: string): Promise<string | null>
}

const UNSETTLED: Columns<UnsettledRow> = {
  seq: integer('seq'),
  providerMessageId: text('provider_message_id'),
  createdAt: integer('created_at'),
}

export function createOfficialMessages({ rows, one }: Statements): OfficialMessageStore {
  // occurred_at too: a queued message may be old when it is sent. next_at: retries belong to the
  // lane.
  const templatesIn = rows(
    { id: text('id') },
    `FROM messages WHERE channel = 'template' AND status = $1 AND created_at < $2 AND occurred_at < $2
       AND next_at IS NULL ORDER BY seq LIMIT $3`,
  )
  // occurred_at too: Meta may accept a queued message long after it was created.
  const silent = one(
    { at: integer('occurred_at') },
    `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status = 'accepted' AND created_at >= $2
       AND created_at < $3 AND occurred_at < $3 ORDER BY created_at LIMIT 1`,
  )
  // A message may also be sent to an id instead of a number.
  const number = one(
    { number: text('recipient') },
    `FROM messages WHERE recipient_user_id = $2 AND lane_id = $1 AND recipient <> $2 ORDER BY seq DESC LIMIT 1`,
  )
  return {
    templatesIn: async (status, ms, limit) => (await templatesIn(status, ms, limit)).map(({ id }) => id),
    silentSince: async (laneId, from, to) => (await silent(laneId, from, to))?.at ?? null,
    unsettled: rows(
      UNSETTLED,
      `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status IN ('accepted', 'sent')
         AND provider_message_id IS NOT NULL AND seq > $2 AND created_at >= $3 AND created_at < $4
       ORDER BY seq LIMIT $5`,
    ),
    numberOf: async (laneId, userId) => (await number(laneId, userId))?.number ?? null,
  }
}
