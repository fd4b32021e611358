import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  title: string
  /** A CSS grid track, the same for every row: px or fr, such as `160px` or `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** Its title is for screen readers only, as that of buttons. */
  untitled?: true
  /**
   * Its place in a narrow window, where a row has two lines: `title … end` above `below … aside`,
   * an `action` below them. Without one it is not shown there, nor beside an open drawer in a
   * window of middle width.
   */
  narrow?: 'title' | 'end' | 'below' | 'aside' | 'action'
  /** In a narrow window its title comes before the value, which would say nothing alone. */
  labelled?: true
}
