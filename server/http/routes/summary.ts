import { z } from 'zod'
import { STATUSES, type Status } from '../../contract/messages.ts'
import { LONGEST_RECIPIENT, numbersMeant } from '../../contract/phone.ts'
import type { Language } from '../../contract/settings.ts'
import {
  type CustomerView,
  customerAnswer,
  type SummaryView,
  summaryAnswer,
  summaryQuery,
} from '../../contract/summary.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import { daysBetween, localDay, spanOfMonth } from '../../lib/local-time.ts'
import type { SettingsService } from '../../settings/settings.ts'
import type { Figures, Store, TallyRow } from '../../store/index.ts'
import { countriesOf } from '../message-filter.ts'
import { defineRoute, ok, type Route } from '../route.ts'

/** Code of the country in which a language is spoken, for a shop that has no number yet. */
const COUNTRY_OF_LANGUAGE: Partial<Record<Language, string>> = { id: '62' }

function countries({ senders }: Store, settings: SettingsService): string[] {
  const spoken = COUNTRY_OF_LANGUAGE[settings.get().language]
  return [...countriesOf(senders), ...(spoken === undefined ? [] : [spoken])]
}

type Counts = Partial<Record<Status, number>>

const sum = (counts: Counts): number => Object.values(counts).reduce((total, count) => total + count, 0)

/** Adds up counts by status. Leaves out statuses with a count of 0. */
function added(all: readonly Counts[]): Counts {
  const counts: Counts = {}
  for (const each of all)
    for (const status of STATUSES) if (each[status]) counts[status] = (counts[status] ?? 0) + each[status]
  return counts
}

/** Groups rows by `key` and adds up their counts. Largest group first; no empty groups. */
const grouped = <Row extends Counts>(rows: readonly Row[], key: (row: Row) => string) =>
  [...Map.groupBy(rows, key)]
    .map(([name, group]) => ({ name, counts: added(group), total: sum(added(group)), rows: group }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total)

/** Sums up a month of this PC's calendar (`2026-11`), without the sandbox. */
export async function monthSummary({ figures, senders }: Store, month: string): Promise<SummaryView> {
  const { since, until } = spanOfMonth(month)
  const spans = daysBetween(since, until)
  const rows: Figures[] = await figures.of(spans)
  const byDay = Map.groupBy(rows, (row) => row.since)
  return {
    month,
    total: sum(added(rows)),
    counts: added(rows),
    senders: grouped(rows, ({ senderId, channel }) => `${senderId} ${channel}`).flatMap(
      ({ rows: its, total, counts }) =>
        its
          .slice(0, 1)
          .map(({ senderId, channel }) => ({ sender_code: senders.codeOf(senderId), channel, total, counts })),
    ),
    reasons: [...Map.groupBy(rows, ({ reason }) => reason)]
      .flatMap(([code, its]) => (code === null ? [] : { code, count: added(its).failed ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count),
    days: spans.map((day) => {
      const counts = added(byDay.get(day.since) ?? [])
      return { day: localDay(day.since), total: sum(counts), failed: counts.failed ?? 0 }
    }),
  }
}

/** Sums up the first of `numbers` that has messages, over both channels, without the sandbox. */
async function customerSummary({ messages, senders }: Store, numbers: readonly string[]): Promise<CustomerView> {
  let phone = numbers[0] ?? ''
  let rows: TallyRow[] = []
  const sandboxes = senders.sandboxes()
  for (const number of numbers) {
    rows = (await messages.tallyOfRecipient(number)).filter(({ senderId }) => !sandboxes.has(senderId))
    if (rows.length === 0) continue
    phone = number
    break
  }
  const countOf = ({ status, count }: TallyRow): Counts => ({ [status]: count })
  const counts = added(rows.map(countOf))
  const bySender = [...Map.groupBy(rows, ({ senderId }) => senderId)].map(([senderId, its]) => ({
    senderId,
    total: sum(added(its.map(countOf))),
  }))
  const times = (pick: (row: TallyRow) => number) => rows.map(pick).sort((a, b) => a - b)
  return {
    phone,
    total: sum(counts),
    counts,
    sender_codes: bySender.sort((a, b) => b.total - a.total).map(({ senderId }) => senders.codeOf(senderId)),
    first_at: isoTimeOrNull(times(({ firstAt }) => firstAt)[0] ?? null),
    last_at: isoTimeOrNull(times(({ lastAt }) => lastAt).at(-1) ?? null),
  }
}

export const summaryRoutes = (store: Store, settings: SettingsService): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/customers/{phone}',
    auth: 'owner',
    summary: 'Count the messages to one phone number',
    description: 'A number without a country code is tried with the country codes of your senders.',
    params: z.object({
      phone: z.string().max(LONGEST_RECIPIENT).describe("Phone number in any usual spelling, or Meta's user ID."),
    }),
    answer: customerAnswer,
    handler: async ({ params: { phone } }) =>
      ok('Customer.', await customerSummary(store, numbersMeant(phone, countries(store, settings)))),
  }),
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/summary',
    auth: 'owner',
    summary: 'Count the messages of a month',
    description: 'Counted in the time zone of this PC, without sandbox senders.',
    query: summaryQuery,
    answer: summaryAnswer,
    handler: async ({ query: { month } }) => ok('Summary.', await monthSummary(store, month)),
  }),
]
