import { type ChannelName, SANDBOX_PARTS } from '../../../server/contract/messages.ts'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { monthSpan } from '../../model/months.ts'

const NAMES = ['failed_from', 'status', 'sender_code', 'recipient', 'reference_id', 'template_name'] as const

/** Limits a log to one channel or one customer. */
export interface LogScope {
  channel?: ChannelName
  /** Number of the customer, in digits. */
  recipient?: string
}

/**
 * Reads the filters from the address. A `period` of days counts back from today, so that a saved
 * address stays useful. `filtered`: the owner chose a filter.
 */
export function useLogFilters(scope: LogScope): { filters: MessageFilters; filtered: boolean } {
  const [get] = useUrlState()
  const plain = NAMES.flatMap((name) => {
    const value = get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const q = (get('q') ?? '').trim()
  const filters: MessageFilters = {
    ...Object.fromEntries(plain),
    ...(q === '' ? {} : { q }),
    ...periodOf(get('period') ?? ''),
    ...sandboxOf(get('sandbox'), get('sender_code')),
    ...scope,
  }
  const given = Object.entries(filters).filter(([name, value]) => !(name in scope) && value !== 'without')
  return { filters, filtered: given.length > 0 }
}

/**
 * Leaves sandbox messages out, because no figure counts them, unless the owner asks for them or
 * chose a sender.
 */
function sandboxOf(wanted: string | undefined, sender: string | undefined): Pick<MessageFilters, 'sandbox'> {
  const part = SANDBOX_PARTS.find((one) => one === wanted) ?? (sender === undefined ? 'without' : 'with')
  return part === 'with' ? {} : { sandbox: part }
}

/** Reads a period in the browser's time zone: `7` is the last seven days, `2026-10` a month. */
function periodOf(period: string): Pick<MessageFilters, 'from' | 'to'> {
  if (/^\d{4}-\d{2}$/.test(period)) return monthSpan(period)
  const days = Number(period)
  return days > 0 ? { from: daysAgo(days) } : {}
}

/** Returns the midnight at which the last `days` days began. 1 is today. */
function daysAgo(days: number): string {
  const date = new Date()
  date.setHours(0, 0, 0, 0)
  date.setDate(date.getDate() - days + 1)
  return date.toISOString()
}
