import {
  IconDeviceMobile,
  IconHome,
  IconKey,
  IconMessages,
  IconServer2,
  IconSettings,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { isAlarm } from '../../../server/contract/concerns.ts'
import { useHasKeys } from '../../api/keys.ts'
import { useSettings } from '../../api/settings.ts'
import { useConcerns } from '../../hooks/use-concerns.ts'

/** Groups of pages in the menu. `daily` pages have no heading. */
const GROUPS = ['daily', 'programs', 'kurir'] as const

/**
 * Pages of the menu, nine at most; all others are tabs of these or below them. On a phone the pages
 * with `tab` are in the bar, the others behind "More".
 */
const PLACES = [
  { path: '/', name: 'home', icon: IconHome, tab: true, group: 'daily' },
  { path: '/messages', name: 'messages', icon: IconMessages, tab: true, group: 'daily' },
  { path: '/customers', name: 'customers', icon: IconUser, tab: true, group: 'daily' },
  { path: '/senders', name: 'senders', icon: IconDeviceMobile, tab: true, group: 'daily' },
  { path: '/keys', name: 'keys', icon: IconKey, tab: false, group: 'programs' },
  { path: '/webhooks', name: 'webhooks', icon: IconWebhook, tab: false, group: 'programs' },
  { path: '/nodes', name: 'nodes', icon: IconServer2, tab: false, group: 'kurir' },
  { path: '/settings', name: 'settings', icon: IconSettings, tab: false, group: 'kurir' },
] as const

export type Place = (typeof PLACES)[number]

/** Returns the pages of the menu. Nodes has a place only if several nodes share the database. */
export function usePlaces(): readonly Place[] {
  const isShared = typeof useSettings().data?.node === 'string'
  return isShared ? PLACES : PLACES.filter(({ name }) => name !== 'nodes')
}

/** Returns the pages by group, in the order of the menu. */
export const groupsOf = (places: readonly Place[]): [group: (typeof GROUPS)[number], places: Place[]][] =>
  GROUPS.map((group): [(typeof GROUPS)[number], Place[]] => [
    group,
    places.filter((place) => place.group === group),
  ]).filter(([, its]) => its.length > 0)

/**
 * Pages that share one place in the menu. They are shown as tabs, and each has its own address. The
 * first of each group stands in the menu.
 */
export const TAB_PAGES = {
  messages: [
    { path: '/messages', name: 'messages' },
    { path: '/api-message-logs', name: 'apiMessageLogs' },
    { path: '/month', name: 'month' },
  ],
  customers: [
    { path: '/customers', name: 'customers' },
    { path: '/opt-outs', name: 'optOuts' },
  ],
  keys: [
    { path: '/keys', name: 'keys' },
    { path: '/refused-calls', name: 'refusedCalls' },
  ],
} as const

export type TabGroup = keyof typeof TAB_PAGES

/** Pages that belong to a page of the menu without being a tab of it. */
const BELOW: Partial<Record<string, Place['path']>> = {
  '/write': '/messages',
  '/tables': '/messages',
  '/prints': '/settings',
  '/acts': '/settings',
}

/** Returns the page of the menu that an address belongs to. */
function placeOf(address: string): string {
  const first = `/${address.split(/[/?#]/)[1] ?? ''}`
  const tabs = Object.values(TAB_PAGES).find((its) => its.some(({ path }) => path === first))
  return tabs?.[0].path ?? BELOW[first] ?? first
}

/** Returns a function that is true for the page of the menu that is open. */
export function useIsHere(): (path: Place['path']) => boolean {
  const [address] = useLocation()
  return (path) => placeOf(address) === path
}

/** Counts the alarms by the page of the menu where they are solved. */
export function useBadges(): Partial<Record<Place['path'], number>> {
  const pages = useConcerns()
    .filter(isAlarm)
    .map(({ page }) => placeOf(page ?? '/'))
  const countOf = (path: string) => pages.filter((page) => page === path).length
  return Object.fromEntries(PLACES.map(({ path }) => [path, countOf(path)]))
}

const HAS_PROGRAMS = 'kurir.has-programs'

/**
 * True if the pages for programs are unfolded: if there are API keys, or if one of these pages is
 * open or needs attention. Until the keys are read, the answer of the last window counts.
 */
export function useHasPrograms(): boolean {
  const isHere = useIsHere()
  const badges = useBadges()
  const hasKeys = useHasKeys().data
  useEffect(() => {
    if (hasKeys !== undefined) localStorage.setItem(HAS_PROGRAMS, String(hasKeys))
  }, [hasKeys])
  const known = hasKeys ?? localStorage.getItem(HAS_PROGRAMS) === 'true'
  return known || PLACES.some(({ group, path }) => group === 'programs' && (isHere(path) || (badges[path] ?? 0) > 0))
}
