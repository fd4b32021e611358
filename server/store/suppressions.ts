import type { Purpose } from '../contract/messages.ts'
import type { SuppressionScope, SuppressionSource } from '../contract/suppressions.ts'
import { isoTime } from '../lib/clock.ts'
import { type Columns, integer, integerOrNull, text, writing } from './columns.ts'
import type { NewEvent } from './events.ts'
import { type Bound, bound, putting, type Reads, type Statements } from './statements.ts'

/** Messages that somebody does not want. */
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

/** True if somebody with this opt-out wants no message of this purpose. */
export const isUnwanted = (scope: SuppressionScope | null, purpose: Purpose): scope is SuppressionScope =>
  scope === 'all' || (scope === 'marketing' && purpose === 'marketing')

export interface SuppressionRow extends Suppression {
  id: number
}

export interface SuppressionFilter {
  phone?: string | undefined
  /** Limits it to this sender's own and those for all. */
  senderId?: number | undefined
  /** Older than this id. */
  before?: number | undefined
  limit: number
}

/**
 * Opt-outs. A change and its event are one transaction; both resolve with the endpoints to wake.
 */
export interface SuppressionStore {
  /** Opt-out of a number at a sender; null: none. */
  scopeOf(senderId: number, phone: string): Promise<SuppressionScope | null>
  /** Newest first. */
  list(filter: SuppressionFilter): Promise<SuppressionRow[]>
  /**
   * Undefined where it stands there already, or (unless `mayNarrow`) where somebody wants nothing
   * at all.
   */
  put(suppression: Suppression, senderCode: string | null, mayNarrow?: boolean): Promise<number[] | undefined>
  /** Undefined where there is none; `by` and `at` are for the event. */
  remove(
    name: { phone: string; senderId: number | null },
    by: { source: SuppressionSource; at: number },
    senderCode: string | null,
  ): Promise<number[] | undefined>
}

const NEW = {
  phone: text('phone'),
  scope: text<SuppressionScope>('scope'),
  source: text<SuppressionSource>('source'),
  at: integer('at'),
}
export const SUPPRESSION: Columns<SuppressionRow> = {
  id: integer('id'),
  senderId: integerOrNull('nullif(sender_id, 0)'),
  ...NEW,
}

/** Opt-out of a number at a sender, from rows of this number alone; null: none. */
export function scopeFor(
  rows: readonly { senderId: number | null; scope: SuppressionScope }[],
  senderId: number,
): SuppressionScope | null {
  const ofAll = rows.find((row) => row.senderId === null)?.scope ?? null
  return ofAll === 'all' ? ofAll : (rows.find((row) => row.senderId === senderId)?.scope ?? ofAll)
}

/**
 * True if nothing is to be written. A customer who wants nothing at all has not changed that by
 * refusing advertising.
 */
export const isKnownSuppression = (
  known: SuppressionScope | undefined,
  scope: SuppressionScope,
  mayNarrow: boolean,
): boolean => known === scope || (known === 'all' && !mayNarrow)

/** The event of a change. @param now when it is written */
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
  { ...writing(NEW), sender_id: ({ senderId }) => senderId ?? 0 },
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

/** People to whom Meta takes no marketing message for a time (its code 131049). */
export interface MarketingHoldStore {
  /**
   * Until when, milliseconds since 1970; `null`: Meta said nothing of this person, or its time is
   * over.
   */
  until(senderId: number, recipient: string, now: number): Promise<number | null>
  /** Removes those whose time is over. */
  expire(now: number): Promise<void>
}

/** Meta takes no marketing message until then; a shorter time changes nothing. */
export const holdMarketing = (senderId: number, recipient: string, until: number): Bound =>
  bound(
    `INSERT INTO marketing_holds (sender_id, recipient, until) VALUES ($1, $2, $3)
     ON CONFLICT (sender_id, recipient) DO UPDATE SET until = excluded.until WHERE marketing_holds.until < excluded.until`,
    ...[senderId, recipient, until],
  )

export function createMarketingHolds({ one, bind, write }: Statements): MarketingHoldStore {
  const find = one(
    { until: integer('until') },
    'FROM marketing_holds WHERE sender_id = $1 AND recipient = $2 AND until > $3',
  )
  const expire = bind('DELETE FROM marketing_holds WHERE until <= $1')
  return {
    until: async (senderId, recipient, now) => (await find(senderId, recipient, now))?.until ?? null,
    async expire(now) {
      await write(expire(now))
    },
  }
}
