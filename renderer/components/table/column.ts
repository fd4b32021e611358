import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  title: string
  /** CSS grid track in px or fr, such as `160px` or `minmax(0, 1fr)`, equal in all rows. */
  width: string
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** Gives the title to screen readers only, as for a column of buttons. */
  untitled?: true
  /**
   * Place of the cell in a narrow window, where a row has two lines, `title … end` above
   * `below … aside`, and an `action` below them. Absent: not shown there, nor beside an open drawer
   * in a window of middle width.
   */
  narrow?: 'title' | 'end' | 'below' | 'aside' | 'action'
  /** Puts the title before the value in a narrow window, for values that say nothing alone. */
  labelled?: true
}
