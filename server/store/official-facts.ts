import { z } from 'zod'
import {
  type AccountReason,
  type AccountStanding,
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

/** Meta's judgement of a business account, as far as it was reported. */
export interface AccountState {
  standing: AccountStanding
  reason: AccountReason | null
  /**
   * Meta's own name or code for it, such as `RESTRICTED_BIZ_INITIATED_MESSAGING`, `SPAM`, `131031`.
   */
  detail: string | null
  /** When Meta reported it. What is older than this changes nothing any more. */
  since: number
  /** When it begins, if it is only announced. */
  from: number | null
  /** When it ends, if Meta says so. */
  until: number | null
}

/** How many people a business may write to first within 24 hours. */
export type MessagingLimit = number | 'unlimited'

/** How Meta changed the limit. */
export interface LimitChange {
  at: number
  from: MessagingLimit
  to: MessagingLimit
}

export interface NumberFacts {
  quality: string | null
  /** When a check first found this quality. */
  qualitySince: number | null
  status: string | null
  nameStatus: string | null
  canSend: string | null
  throughput: string | null
  limit: MessagingLimit | null
}

export interface OfficialNews {
  kind: z.infer<typeof newsKind>
  /** Meta's own name, such as `PIN_CHANGED`. */
  code: string
  severity: z.infer<typeof newsSeverity>
  at: number
  detail: string | null
}

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
  limitChange: LimitChange | null
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

const nullableText = z.string().nullable()

const nullableTime = z.number().nullable()

const account = z.object({
  standing: accountStanding,
  reason: accountReason.nullable(),
  detail: nullableText,
  since: z.number(),
  from: nullableTime,
  until: nullableTime,
})

const limit = z.union([z.number(), z.literal('unlimited')])

const number = z.object({
  quality: nullableText,
  qualitySince: nullableTime,
  status: nullableText,
  nameStatus: nullableText,
  canSend: nullableText,
  throughput: nullableText,
  limit: limit.nullable(),
})

const limitChange = z.object({ at: z.number(), from: limit, to: limit })

const news = z.object({
  kind: newsKind,
  code: z.string(),
  severity: newsSeverity,
  at: z.number(),
  detail: nullableText,
})

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
