import { z } from 'zod'
import {
  accountReason,
  accountStanding,
  newsKind,
  newsSeverity,
  type SenderCheck,
  type SetupReason,
  senderCheck,
} from '../contract/official-senders.ts'
import { type Columns, integer, integerOrNull, json, jsonOrNull, textOrNull, writing } from './columns.ts'
import type { Urgency } from './messages.ts'
import { putting } from './statements.ts'

const nullableText = z.string().nullable()
const nullableTime = z.number().nullable()

const account = z.object({
  standing: accountStanding,
  reason: accountReason.nullable(),
  /**
   * Meta's own name or code for it, such as `RESTRICTED_BIZ_INITIATED_MESSAGING`, `SPAM`, `131031`.
   */
  detail: nullableText,
  /** When Meta reported it. What is older than this changes nothing any more. */
  since: z.number(),
  /** When it begins, if it is only announced. */
  from: nullableTime,
  /** When it ends, if Meta says so. */
  until: nullableTime,
})
/** Meta's judgement of a business account, as far as it was reported. */
export type AccountState = z.infer<typeof account>

const limit = z.union([z.number(), z.literal('unlimited')])
/** How many people a business may write to first within 24 hours. */
export type MessagingLimit = z.infer<typeof limit>

/** How Meta changed the limit. */
const limitChange = z.object({ at: z.number(), from: limit, to: limit })

const number = z.object({
  quality: nullableText,
  /** When a check first found this quality. */
  qualitySince: nullableTime,
  status: nullableText,
  nameStatus: nullableText,
  canSend: nullableText,
  throughput: nullableText,
  limit: limit.nullable(),
})
export type NumberFacts = z.infer<typeof number>

const news = z.object({
  kind: newsKind,
  /** Meta's own name, such as `PIN_CHANGED`. */
  code: z.string(),
  severity: newsSeverity,
  at: z.number(),
  detail: nullableText,
})
export type OfficialNews = z.infer<typeof news>

/**
 * Facts about an official sender apart from its owner's entries. Times are milliseconds since 1970.
 */
export interface OfficialFacts {
  checks: SenderCheck[]
  checkedAt: number | null
  templatesSyncedAt: number | null
  /** When Meta last called back about this sender's messages. */
  lastStatusAt: number | null
  /** First thing to correct; `null`: nothing, as far as Meta says. */
  setupReason: SetupReason | null
  /** `null`: Meta reported nothing. */
  account: AccountState | null
  number: NumberFacts | null
  /** When the access token ends; `null`: never, or Meta did not say. */
  tokenEndsAt: number | null
  /** The last one that was seen. */
  limitChange: z.infer<typeof limitChange> | null
  /** Newest last. */
  news: OfficialNews[]
}

export interface OfficialFactsStore {
  get(senderId: number): Promise<OfficialFacts>
  /** `decide` is pure and sees what is stored. Resolves with what is stored then. */
  change(
    senderId: number,
    decide: (facts: OfficialFacts) => Partial<OfficialFacts>,
    urgency?: Urgency,
  ): Promise<OfficialFacts>
}

export const FACTS: Columns<OfficialFacts> = {
  // Checks of another version count as none: they are made again.
  checks: json('checks', z.array(senderCheck).catch([])),
  checkedAt: integerOrNull('checked_at'),
  templatesSyncedAt: integerOrNull('templates_synced_at'),
  lastStatusAt: integerOrNull('last_status_at'),
  setupReason: textOrNull('setup_reason'),
  account: jsonOrNull('account', account),
  number: jsonOrNull('number', number),
  tokenEndsAt: integerOrNull('token_ends_at'),
  limitChange: jsonOrNull('limit_change', limitChange),
  news: json('news', z.array(news)),
}

/** Facts about a sender of which nothing was written yet. */
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
