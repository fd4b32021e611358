import type { FailureCode } from '../contract/failures.ts'
import { type ChannelName, type Pricing, pricing, STATUSES, type Status } from '../contract/messages.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { type Column, type Columns, integer, integerOrNull, json, text, textOrNull, type Written } from './columns.ts'
import type { Message } from './messages.ts'
import type { Statements } from './statements.ts'

/**
 * Span of one row of the book. Days begin at a multiple of it in every time zone, even in summer
 * time.
 */
export const QUARTER = 15 * MINUTE

export const quarterOf = (ms: number): number => Math.floor(ms / QUARTER) * QUARTER

/** `until` is the first moment after the span. Milliseconds since 1970. */
export interface Span {
  since: number
  until: number
}

/**
 * Columns of the book. A status counts messages that were accepted in a quarter of an hour and have
 * this status; `became_…` counts messages that reached a status in it. A delivered message was sent
 * before, and a read one was delivered, whether or not that was reported; a failed message does not
 * count as sent.
 */
const COUNTS = [
  ...STATUSES,
  ...(['became_sent', 'became_delivered', 'became_read', 'became_failed', 'billed', 'second_road'] as const),
] as const
export type Count = (typeof COUNTS)[number]

export interface Figures extends Record<Count, number> {
  since: number
  senderId: number
  channel: ChannelName
  /** Failure code of failed messages; null: all others. */
  reason: FailureCode | null
}

export interface Billed {
  senderId: number
  pricing: Pricing
  count: number
}

/**
 * The book of figures counts what became of messages. Each change updates it in its own
 * transaction.
 */
export interface FigureStore {
  /** Figures of spans that begin and end with a quarter of an hour, without the sandbox. */
  of(spans: readonly Span[]): Promise<Figures[]>
  /**
   * Delivered messages of a span by the price that Meta reported. These counts outlive the
   * messages.
   */
  billed(span: Span): Promise<Billed[]>
  /** The first quarter of an hour at or after `ms` with a price; null: there is none. */
  nextBilled(ms: number): Promise<number | null>
  /**
   * Removes figures from before `ms`, at most one day of them, unless they have a price or a
   * message is as old; resolves with their number.
   */
  forget(ms: number): Promise<number>
}

// One node may take back what another has counted, so only the sum over all nodes is valid.
const summed = (name: Count): Column<number> => ({
  ...integer(`sum(${name})`),
  decode: (sum) => Math.max(0, Number(sum)),
})

export const FIGURES: Columns<Figures> = {
  since: integer('since'),
  senderId: integer('sender_id'),
  channel: text('channel'),
  reason: textOrNull(`nullif(reason, '')`),
  ...(Object.fromEntries(COUNTS.map((name) => [name, summed(name)])) as Columns<Record<Count, number>>),
}

const BILLED: Columns<Billed> = {
  senderId: integer('sender_id'),
  pricing: json('pricing', pricing),
  count: summed('billed'),
}

/** A row of the book, and the counts to add to it. */
export interface Entry {
  quarter: number
  senderId: number
  channel: ChannelName
  reason: FailureCode | ''
  pricing: string
  counts: Partial<Record<Count, number>>
}

/** Columns of a row's key, without the node. */
export const KEY: Written<Entry> = {
  quarter: (entry) => entry.quarter,
  sender_id: (entry) => entry.senderId,
  channel: (entry) => entry.channel,
  reason: (entry) => entry.reason,
  pricing: (entry) => entry.pricing,
}
export const COUNTED = Object.fromEntries(COUNTS.map((name) => [name, ({ counts }: Entry) => counts[name] ?? 0]))

/** The end of an INSERT that adds its counts to an existing row. */
export const ADDING = `ON CONFLICT (pricing, quarter, sender_id, channel, reason, node) DO UPDATE SET ${COUNTS.map(
  (name) => `${name} = figures.${name} + excluded.${name}`,
)}`

/** Entries of one transaction, one for each row; its commit writes them. */
export type Noted = Map<string, Entry>

/** @param why reason or price, by which rows of one sender differ */
function note(
  noted: Noted,
  at: number,
  { senderId, channel }: { senderId: number; channel: ChannelName },
  counts: Entry['counts'],
  why: { reason?: Entry['reason']; pricing?: string } = {},
): void {
  add(noted, { quarter: quarterOf(at), senderId, channel, reason: '', pricing: '', ...why, counts })
}

function add(noted: Noted, { counts, ...row }: Entry): void {
  const key = `${row.quarter} ${row.senderId} ${row.channel} ${row.reason} ${row.pricing}`
  const entry = noted.get(key) ?? { ...row, counts: {} }
  for (const [count, by] of Object.entries(counts) as [Count, number][])
    entry.counts[count] = (entry.counts[count] ?? 0) + by
  noted.set(key, entry)
}

/**
 * Returns the entries that change a count, always in the same order, so that no two transactions
 * wait for each other's rows.
 */
export const entriesOf = (noted: Noted): Entry[] =>
  [...noted]
    .filter(([, { counts }]) => Object.values(counts).some((by) => by !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry)

/** Members of a message that lead to its row of the book. */
export interface Placed {
  senderId: number
  channel: ChannelName
  createdAt: number
  status: Status
}

export interface Standing extends Placed {
  error?: { code: FailureCode } | null
}

/** `occurredAt`: when the message reached its status. */
export interface DatedStanding extends Standing {
  occurredAt: number
}

const reasonOf = ({ status, error }: Standing): FailureCode | '' => (status === 'failed' ? (error?.code ?? '') : '')

/** Counts a message in its status; `by` is 1, or -1 to take it back. */
export const noteMessage = (noted: Noted, message: Standing, by: number): void =>
  note(noted, message.createdAt, message, { [message.status]: by }, { reason: reasonOf(message) })

const ARRIVING: readonly Status[] = ['sent', 'delivered', 'read']
const arrivedAs = (status: Status): readonly Status[] => ARRIVING.slice(0, ARRIVING.indexOf(status) + 1)

/** Counts the statuses that a message reached, without those that it had before. */
function noteBecame(noted: Noted, message: DatedStanding, before: readonly Status[], by: number): void {
  for (const status of arrivedAs(message.status))
    if (!before.includes(status)) note(noted, message.occurredAt, message, { [`became_${status}`]: by })
  if (message.status === 'failed')
    note(noted, message.occurredAt, message, { became_failed: by }, { reason: reasonOf(message) })
}

/**
 * Counts a message and the statuses that it reached, while its times are moved to another clock.
 */
export function noteStanding(noted: Noted, message: DatedStanding, by: number): void {
  noteMessage(noted, message, by)
  noteBecame(noted, message, arrivedAs(message.status).slice(0, -1), by)
}

/**
 * Counts a change of a message.
 * @param at when it happened
 */
export function noteChange(noted: Noted, before: Message, after: Message, at: number): void {
  noteMessage(noted, before, -1)
  noteMessage(noted, after, 1)
  noteBecame(noted, before, arrivedAs(after.status), -1)
  noteBecame(noted, after, arrivedAs(before.status), 1)
  if (after.pricing === null || !isDelivered(after) || (before.pricing !== null && isDelivered(before))) return
  // The text is part of the row's key, so its members always have this order. Meta bills the sender
  // through which the message left.
  const { billable, pricing_model, type, category } = after.pricing
  const price = JSON.stringify({ billable, pricing_model, type, category })
  note(noted, at, { senderId: after.laneId, channel: after.channel }, { billed: 1 }, { pricing: price })
}

const isDelivered = ({ status }: Message): boolean => status === 'delivered' || status === 'read'

/** Returns the quarter of an hour that stands for a month such as `2026-11` in every time zone. */
const quarterOfMonth = (month: string): number => Date.parse(`${month}-01`)

/** Counts a message on its second road in a month; -1 takes it back. */
export const noteSecondRoad = (noted: Noted, senderId: number, month: string, by: number): void =>
  note(noted, quarterOfMonth(month), { senderId, channel: 'standard' }, { second_road: by })

/** Resolves with the number of a sender's messages on their second road in a month. */
export async function countSecondRoads({ of }: FigureStore, senderId: number, month: string): Promise<number> {
  const since = quarterOfMonth(month)
  const rows = await of([{ since, until: since + QUARTER }])
  return rows.filter((row) => row.senderId === senderId).reduce((sum, row) => sum + row.second_road, 0)
}

export function createFigures({ rows, one, bind, write }: Statements) {
  const billed = rows(
    BILLED,
    `FROM figures WHERE pricing <> '' AND quarter >= $1 AND quarter < $2 GROUP BY sender_id, pricing
     ORDER BY sender_id, sum(billed) DESC`,
  )
  const next = one({ quarter: integerOrNull('min(quarter)') }, `FROM figures WHERE pricing <> '' AND quarter >= $1`)
  const forget = bind(
    `DELETE FROM figures WHERE pricing = '' AND quarter < (SELECT min(column1) FROM (VALUES (CAST($1 AS BIGINT)),
       (coalesce((SELECT min(created_at) FROM messages), $1) - ${HOUR}),
       ((SELECT min(quarter) FROM figures WHERE pricing = '') + ${DAY})) AS bounds)`,
  )
  return {
    forget: (ms) => write(forget(ms)),
    billed: ({ since, until }) => billed(since, until),
    nextBilled: async (ms) => (await next(ms))?.quarter ?? null,
  } satisfies Partial<FigureStore>
}
