import {
  IconBan,
  IconCalendarStats,
  IconDeviceMobile,
  IconFileText,
  IconFlask,
  IconHome,
  IconKey,
  IconMessageOff,
  IconMessages,
  IconSettings,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react'
import { isAlarm } from '../../../server/contract/concerns.ts'
import { useConcerns } from '../../hooks/use-concerns.ts'

/** The pages of the menu. On a phone the first four of `tab` are in the bar, the others behind "More". */
export const PLACES = [
  { path: '/', name: 'home', icon: IconHome, tab: true },
  { path: '/senders', name: 'senders', icon: IconDeviceMobile, tab: true },
  { path: '/messages', name: 'messages', icon: IconMessages, tab: true },
  { path: '/api-message-logs', name: 'apiMessageLogs', icon: IconFileText, tab: false },
  { path: '/customers', name: 'customers', icon: IconUser, tab: false },
  { path: '/month', name: 'month', icon: IconCalendarStats, tab: false },
  { path: '/webhooks', name: 'webhooks', icon: IconWebhook, tab: false },
  { path: '/keys', name: 'keys', icon: IconKey, tab: false },
  { path: '/opt-outs', name: 'optOuts', icon: IconMessageOff, tab: false },
  { path: '/refused-calls', name: 'refusedCalls', icon: IconBan, tab: false },
  { path: '/try-it', name: 'tryIt', icon: IconFlask, tab: true },
  { path: '/settings', name: 'settings', icon: IconSettings, tab: false },
] as const

export type Place = (typeof PLACES)[number]

/** How many things need attention, by the path of the page where they are solved. */
export function useBadges(): Partial<Record<Place['path'], number>> {
  const pages = useConcerns()
    .filter(isAlarm)
    .map(({ page }) => page ?? '/')
  const countOf = (path: string) => pages.filter((page) => page.split(/[/?]/)[1] === path.slice(1)).length
  return Object.fromEntries(PLACES.map(({ path }) => [path, countOf(path)]))
}
