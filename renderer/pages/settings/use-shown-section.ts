import { useLocationProperty } from 'wouter/use-browser-location'
import { SECTIONS, type Section } from '../../model/settings-sections.ts'

/** Returns the section that the address names after `#`. Default: the first section. */
export function useShownSection(): Section {
  const hash = useLocationProperty(() => location.hash.slice(1))
  return SECTIONS.find((id) => id === hash) ?? SECTIONS[0]
}
