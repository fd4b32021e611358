import { setImmediate } from 'node:timers/promises'
import type { CustomerView } from '../contract/customers.ts'
import type { FailureCode } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import type { SummaryView } from '../contract/summary.ts'
import { isoTimeOrNull } from '../lib/clock.ts'
import { daysBetween, localDay } from '../lib/local-time.ts'
import type { Day, MessageStore, SenderStore, Tally, TallyRow, TallyStore } from '../store/index.ts'

export interface SummaryDeps {
  messages: Pick<MessageStore, 'tallyOfTime' | 'tallyOfRecipient' | 'span'>
  tallies: Pick<TallyStore, 'of'>
  senders: Pick<SenderStore, 'sandboxes' | 'codeOf'>
}

type Counts = Partial<Record<Status, number>>

const sum = (rows: readonly Pick<Tally, 'count'>[]): number => rows.reduce((total, { count }) => total + count, 0)

function countsOf(rows: readonly Pick<Tally, 'status' | 'count'>[]): Counts {
  const counts: Counts = {}
  for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + count
  return counts
}

/** Rows by what `key` says of them, the largest group first. */
function grouped<Row extends Tally>(rows: readonly Row[], key: (row: Row) => string): [key: string, rows: Row[]][] {
  const groups = Object.groupBy(rows, key)
  return Object.entries(groups)
    .flatMap(([name, group]): [string, Row[]][] => (group === undefined ? [] : [[name, group]]))
    .sort(([, a], [, b]) => sum(b) - sum(a))
}

/**
 * A month of this PC's calendar (`2026-11`), without the sandbox. Days that are not counted, such
 * as this one, are read from their messages, one after the other: sends go on in between.
 */
export async function monthSummary({ messages, tallies, senders }: SummaryDeps, month: string): Promise<SummaryView> {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const asked = daysBetween(new Date(year, number - 1, 1).getTime(), new Date(year, number, 1).getTime())
  const [counted, span] = await Promise.all([tallies.of(asked), messages.span()])
  const sandboxes = senders.sandboxes()
  const days: SummaryView['days'] = []
  const all = [...counted.groups]

  async function readDay({ since, until }: Day): Promise<Tally[]> {
    if (span === null || until <= span.first || since > span.last) return []
    const rows = await messages.tallyOfTime(since, until)
    await setImmediate()
    return rows.filter(({ senderId }) => !sandboxes.has(senderId))
  }

  for (const day of asked) {
    const known = counted.days.get(day.since)
    const read = known === undefined ? await readDay(day) : []
    const rows = known ?? read
    days.push({ day: localDay(day.since), total: sum(rows), failed: countsOf(rows).failed ?? 0 })
    all.push(...read)
  }
  return {
    month,
    total: sum(all),
    counts: countsOf(all),
    senders: grouped(all, ({ senderId, channel }) => `${senderId} ${channel}`).flatMap(([, rows]) =>
      rows.slice(0, 1).map(({ senderId, channel }) => ({
        sender_code: senders.codeOf(senderId),
        channel,
        total: sum(rows),
        counts: countsOf(rows),
      })),
    ),
    reasons: grouped(
      all.filter(({ reason, status }) => reason !== null && status === 'failed'),
      ({ reason }) => String(reason),
    ).map(([code, rows]) => ({ code: code as FailureCode, count: sum(rows) })),
    days,
  }
}

/**
 * Summary of the first of `numbers` that is in the log, both routes together, without the sandbox.
 */
export async function customerSummary(
  { messages, senders }: SummaryDeps,
  numbers: readonly string[],
): Promise<CustomerView> {
  let phone = numbers[0] ?? ''
  let rows: TallyRow[] = []
  const sandboxes = senders.sandboxes()
  for (const number of numbers) {
    rows = (await messages.tallyOfRecipient(number)).filter(({ senderId }) => !sandboxes.has(senderId))
    if (rows.length === 0) continue
    phone = number
    break
  }
  const times = (pick: (row: TallyRow) => number) => rows.map(pick).sort((a, b) => a - b)
  return {
    phone,
    total: sum(rows),
    counts: countsOf(rows),
    sender_codes: grouped(rows, ({ senderId }) => String(senderId)).map(([id]) => senders.codeOf(Number(id))),
    first_at: isoTimeOrNull(times(({ firstAt }) => firstAt)[0] ?? null),
    last_at: isoTimeOrNull(times(({ lastAt }) => lastAt).at(-1) ?? null),
  }
}
