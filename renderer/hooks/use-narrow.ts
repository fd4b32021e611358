import { useMediaQuery } from '@mantine/hooks'

/** Whether the window is as narrow as a phone, or enlarged so far: the same width as in the style sheets. */
export const useNarrow = (): boolean => useMediaQuery('(width < 48em)', undefined, { getInitialValueInEffect: false })
