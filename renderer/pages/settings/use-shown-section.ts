import { useLocationProperty } from 'wouter/use-browser-location'

/** In the order of the index. */
export const SECTIONS = [
  'window',
  'alarms',
  'network',
  'access',
  'files',
  'folder',
  'customers',
  'programs',
  'log',
  'meta',
  'backup',
  'about',
] as const

export type Section = (typeof SECTIONS)[number]

/** The section that the address names after `#`; the first one where it names none. */
export function useShownSection(): Section {
  const hash = useLocationProperty(() => location.hash.slice(1))
  return SECTIONS.find((id) => id === hash) ?? SECTIONS[0]
}
