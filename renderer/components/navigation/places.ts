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

/** A page's place in the menu: the pages that an owner opens daily have no heading. */
const GROUPS = ['daily', 'programs', 'kurir'] as const

/**
 * The pages of the menu by their group: nine at most, the others are tabs of these. On a phone
 * those of `tab` are in the bar, the others behind "More".
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

/**
 * Pages that share a place in the menu, which the first of each has. They are tabs of each other,
 * and keep their addresses.
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

/** Pages below a page of the menu, without being a tab of it. */
const BELOW: Partial<Record<string, Place['path']>> = {
  '/write': '/messages',
  '/tables': '/messages',
  '/prints': '/settings',
  '/acts': '/settings',
}

/** The page of the menu that an address belongs to. */
function placeOf(address: string): string {
  const first = `/${address.split(/[/?#]/)[1] ?? ''}`
  const tabs = Object.values(TAB_PAGES).find((its) => its.some(({ path }) => path === first))
  return tabs?.[0].path ?? BELOW[first] ?? first
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

const HAS_PROGRAMS = 'kurir.has-programs'

/**
 * True once a program may send: before that the pages for programs are folded, unless one of them
 * is open or needs attention. Until the keys are read it is as it was in the last window.
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
