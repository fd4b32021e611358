import type { ChannelName } from '../../../server/contract/messages.ts'
import type { MessageFilters } from '../../api/message-filters.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'

const NAMES = ['status', 'sender_code', 'recipient', 'reference_id', 'template_name'] as const

/** The filters in the address; `days` counts back from today, so that a kept address stays useful. */
export function useLogFilters(channel: ChannelName): { filters: MessageFilters; filtered: boolean } {
  const [get] = useUrlState()
  const given = NAMES.flatMap((name) => {
    const value = get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const days = Number(get('days'))
  const q = (get('q') ?? '').trim()
  const filters: MessageFilters = {
    channel,
    ...Object.fromEntries(given),
    ...(q === '' ? {} : { q }),
    ...(days > 0 ? { from: daysAgo(days) } : {}),
  }
  return { filters, filtered: Object.keys(filters).length > 1 }
}

/** Midnight, `days` days back; 1 is today. */
function daysAgo(days: number): string {
  const date = new Date()
  date.setHours(0, 0, 0, 0)
  date.setDate(date.getDate() - days + 1)
  return date.toISOString()
}
