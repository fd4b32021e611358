import { useMediaQuery } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

let drawers = 0
const onDrawers = new Set<() => void>()

function countDrawers(change: 1 | -1): void {
  drawers += change
  for (const tell of onDrawers) tell()
}

/**
 * Counts a drawer that is drawn, until the returned function is called. The address does not tell:
 * it may name a row that does not exist.
 */
export function openedDrawer(): () => void {
  countDrawers(1)
  return () => countDrawers(-1)
}

function subscribe(tell: () => void): () => void {
  onDrawers.add(tell)
  return () => void onDrawers.delete(tell)
}

/**
 * True if the window is as narrow as a phone or an upright tablet, or zoomed in as far. The style
 * sheets use the same width.
 */
export const useNarrow = (): boolean => useMediaQuery('(width < 60em)', undefined, { getInitialValueInEffect: false })

/** True if the window is as low as a PC's at 200 % zoom. The height is that of table.module.css. */
export const useLow = (): boolean => useMediaQuery('(height < 30em)', undefined, { getInitialValueInEffect: false })

/**
 * True if an open drawer leaves the list room for only half of its columns. The widths are those of
 * shell.module.css. On the smallest screens the drawer covers the right half of the list; the left
 * half shows which row is open.
 */
export function useBesideDrawer(): boolean {
  const isOpen = useSyncExternalStore(subscribe, () => drawers > 0)
  const tight = useMediaQuery('(60em <= width < 100em)', undefined, { getInitialValueInEffect: false })
  return tight && isOpen
}
