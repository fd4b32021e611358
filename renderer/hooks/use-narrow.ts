import { useMediaQuery } from '@mantine/hooks'
import { useUrlState } from './use-url-state.ts'

/** Names in the address of the things that are open. */
const DRAWERS = ['open', 'delivery']

/**
 * True if the window is as narrow as a phone or an upright tablet, or enlarged so far: the width of
 * the style sheets.
 */
export const useNarrow = (): boolean => useMediaQuery('(width < 60em)', undefined, { getInitialValueInEffect: false })

/** True if the window is as low as a PC's at 200 %: as in table.module.css. */
export const useLow = (): boolean => useMediaQuery('(height < 30em)', undefined, { getInitialValueInEffect: false })

/**
 * True if a drawer is open beside the list, which then has room for half of its columns: as in
 * shell.module.css. On the smallest screens it lies over the right half; the left one tells the
 * open row from others.
 */
export function useBesideDrawer(): boolean {
  const [get] = useUrlState()
  const tight = useMediaQuery('(60em <= width < 100em)', undefined, { getInitialValueInEffect: false })
  return tight && DRAWERS.some((name) => get(name) !== undefined)
}
