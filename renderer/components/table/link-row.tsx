import { VisuallyHidden } from '@mantine/core'
import { type CSSProperties, memo, type RefObject, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { PAGE_ID } from '../shell-ids.ts'
import type { Column } from './column.ts'
import { stepBetweenRows } from './step-between-rows.ts'
import classes from './table.module.css'

interface LinkRowProps<Row> {
  columns: Column<Row>[]
  row: Row
  /** Names the row's link in the page, see `focusRow`. */
  id: string
  href: string
  /** Names the link for a screen reader where the first cell alone would not. */
  name?: string
  /** Which row of the list it is. */
  place: number
  open: boolean
  /** Pale, because it is over. */
  ended?: boolean
  'aria-rowindex'?: number
}

/**
 * A row that is one link, from its first to its last cell; buttons in it lie above the link. It is
 * drawn again only when something of it has changed, and not with each step of a scroll.
 */
export const LinkRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Row>(props: LinkRowProps<Row>) {
  const { columns, row, id, href, name, place, open, ended = false, ...rest } = props
  const element = useRef<HTMLTableRowElement>(null)
  const hasFocus = useFocusKept(element, id)
  return (
    <tr {...rest} ref={element} className={classes.row} data-open={open || undefined} data-ended={ended || undefined}>
      {columns.map((column, index) => (
        <td
          key={column.id}
          data-column={column.id}
          data-align={column.align}
          data-narrow={column.narrow ?? 'none'}
          data-label={column.labelled ? column.title : undefined}
        >
          {index === 0 ? (
            <Link
              href={href}
              id={rowId(id)}
              className={classes.link ?? ''}
              data-row={place}
              onKeyDown={stepBetweenRows}
              onFocus={() => {
                hasFocus.current = true
              }}
              onBlur={() => {
                hasFocus.current = false
              }}
              {...(name === undefined ? {} : { 'aria-label': name })}
            >
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

/**
 * A row that goes away with the focus, such as a deleted one, leaves it to the page; so does one
 * whose elements show another row from now on.
 */
function useFocusKept(element: RefObject<HTMLElement | null>, id: string) {
  const hasFocus = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another id is another row
  useEffect(
    () => () => {
      const { activeElement, body } = document
      const isLost = activeElement === body || element.current?.contains(activeElement)
      if (hasFocus.current && isLost) document.getElementById(PAGE_ID)?.focus()
    },
    [element, id],
  )
  return hasFocus
}

const rowId = (id: string) => `row-${id}`

/** Moves the focus to a row's link, if the row is in the page; returns whether it is. */
export function focusRow(id: string): boolean {
  const link = document.getElementById(rowId(id))
  link?.focus()
  return link !== null
}

interface HeadProps<Row> {
  columns: Column<Row>[]
}

export const TableHead = <Row,>({ columns }: HeadProps<Row>) => (
  <thead>
    <tr className={classes.header}>
      {columns.map(({ id, title, align, untitled }) => (
        <th scope="col" key={id} data-column={id} data-align={align} title={untitled ? undefined : title}>
          {untitled ? <VisuallyHidden>{title}</VisuallyHidden> : title}
        </th>
      ))}
    </tr>
  </thead>
)

/** The tracks of the columns, for the style sheet. */
export const tracks = <Row,>(columns: Column<Row>[]): CSSProperties =>
  ({ '--columns': columns.map(({ width }) => width).join(' ') }) as CSSProperties
