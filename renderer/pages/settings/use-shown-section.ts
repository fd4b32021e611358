import { useLocationProperty } from 'wouter/use-browser-location'
import { SECTIONS, type Section } from '../../model/settings-sections.ts'

/** The section that the address names after `#`; the first one where it names none. */
export function useShownSection(): Section {
  const hash = useLocationProperty(() => location.hash.slice(1))
  return SECTIONS.find((id) => id === hash) ?? SECTIONS[0]
}
