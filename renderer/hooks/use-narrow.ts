import { useMediaQuery } from '@mantine/hooks'

/** Whether the window is as narrow as a phone, or enlarged so far: the same width as in the style sheets. */
export const useNarrow = (): boolean => useMediaQuery('(width < 48em)', undefined, { getInitialValueInEffect: false })

/** Whether an open drawer is beside a list that then has room for half of its columns: as in shell.module.css. */
export const useBesideDrawer = (): boolean =>
  useMediaQuery('(80em <= width < 100em)', undefined, { getInitialValueInEffect: false })
