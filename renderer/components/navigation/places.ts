import {
  IconCalendarStats,
  IconDeviceMobile,
  IconFileText,
  IconHome,
  IconKey,
  IconMessageOff,
  IconMessages,
  IconPencil,
  IconServer2,
  IconSettings,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { isAlarm } from '../../../server/contract/concerns.ts'
import { useSettings } from '../../api/settings.ts'
import { useConcerns } from '../../hooks/use-concerns.ts'

/** A page's place in the menu: the pages that an owner opens daily have no heading. */
const GROUPS = ['daily', 'log', 'programs', 'kurir'] as const

/**
 * The pages of the menu by their group. On a phone those of `tab` are in the bar, the others behind
 * "More".
 */
const PLACES = [
  { path: '/', name: 'home', icon: IconHome, tab: true, group: 'daily' },
  { path: '/write', name: 'write', icon: IconPencil, tab: true, group: 'daily' },
  { path: '/senders', name: 'senders', icon: IconDeviceMobile, tab: true, group: 'daily' },
  { path: '/messages', name: 'messages', icon: IconMessages, tab: true, group: 'log' },
  { path: '/api-message-logs', name: 'apiMessageLogs', icon: IconFileText, tab: false, group: 'log' },
  { path: '/customers', name: 'customers', icon: IconUser, tab: false, group: 'log' },
  { path: '/month', name: 'month', icon: IconCalendarStats, tab: false, group: 'log' },
  { path: '/opt-outs', name: 'optOuts', icon: IconMessageOff, tab: false, group: 'log' },
  { path: '/webhooks', name: 'webhooks', icon: IconWebhook, tab: false, group: 'programs' },
  { path: '/keys', name: 'keys', icon: IconKey, tab: false, group: 'programs' },
  { path: '/nodes', name: 'nodes', icon: IconServer2, tab: false, group: 'kurir' },
  { path: '/settings', name: 'settings', icon: IconSettings, tab: false, group: 'kurir' },
] as const

export type Place = (typeof PLACES)[number]

/** The nodes only where several programs share a database: a shop has one. */
export function usePlaces(): readonly Place[] {
  const isShared = typeof useSettings().data?.node === 'string'
  return isShared ? PLACES : PLACES.filter(({ name }) => name !== 'nodes')
}

/** Pages by group, in the order of the menu. */
export const groupsOf = (places: readonly Place[]): [group: (typeof GROUPS)[number], places: Place[]][] =>
  GROUPS.map((group): [(typeof GROUPS)[number], Place[]] => [
    group,
    places.filter((place) => place.group === group),
  ]).filter(([, its]) => its.length > 0)

/** Pages that are tabs of a page of the menu. */
const TABS: Partial<Record<string, Place['path']>> = {
  '/refused-calls': '/keys',
  '/tables': '/write',
  '/prints': '/settings',
  '/acts': '/settings',
}

/** The page of the menu that an address belongs to. */
function placeOf(address: string): string {
  const first = `/${address.split(/[/?#]/)[1] ?? ''}`
  return TABS[first] ?? first
}

/** Tells which page of the menu is open. */
export function useIsHere(): (path: Place['path']) => boolean {
  const [address] = useLocation()
  return (path) => placeOf(address) === path
}

/** How many things need attention, by the path of the page where they are solved. */
export function useBadges(): Partial<Record<Place['path'], number>> {
  const pages = useConcerns()
    .filter(isAlarm)
    .map(({ page }) => placeOf(page ?? '/'))
  const countOf = (path: string) => pages.filter((page) => page === path).length
  return Object.fromEntries(PLACES.map(({ path }) => [path, countOf(path)]))
}
