import { useMediaQuery } from '@mantine/hooks'
import { useUrlState } from './use-url-state.ts'

/** What is open is in the address, by these names. */
const DRAWERS = ['open', 'delivery']

/** Whether the window is as narrow as a phone or an upright tablet, or enlarged so far: the same width as in the style sheets. */
export const useNarrow = (): boolean => useMediaQuery('(width < 60em)', undefined, { getInitialValueInEffect: false })

/**
 * Whether a drawer is open beside the list, which then has room for half of its columns: as in shell.module.css. On the
 * smallest screens it lies over the right half, and what tells the open row from others is in the left one.
 */
export function useBesideDrawer(): boolean {
  const [get] = useUrlState()
  const tight = useMediaQuery('(60em <= width < 100em)', undefined, { getInitialValueInEffect: false })
  return tight && DRAWERS.some((name) => get(name) !== undefined)
}
