import { useMediaQuery } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

let drawers = 0
const onDrawers = new Set<() => void>()

function countDrawers(change: 1 | -1): void {
  drawers += change
  for (const tell of onDrawers) tell()
}

/** A drawer is drawn; the answer ends that. An address alone may name what there is not. */
export function openedDrawer(): () => void {
  countDrawers(1)
  return () => countDrawers(-1)
}

function subscribe(tell: () => void): () => void {
  onDrawers.add(tell)
  return () => void onDrawers.delete(tell)
}

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
  const isOpen = useSyncExternalStore(subscribe, () => drawers > 0)
  const tight = useMediaQuery('(60em <= width < 100em)', undefined, { getInitialValueInEffect: false })
  return tight && isOpen
}
