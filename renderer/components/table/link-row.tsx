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
  /** Id of the row, by which `focusRow` finds its link. */
  id: string
  href: string
  /** Names the link for screen readers. Default: the first cell. */
  name?: string
  /** Index of the row in the list. */
  place: number
  open: boolean
  /** Shows the row pale, such as that of a revoked key. */
  ended?: boolean
  'aria-rowindex'?: number
}

/**
 * A row whose link covers all cells; buttons lie above the link. The row is drawn again only if its
 * props change, not with each step of a scroll.
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
 * Gives the focus to the page if a focused row goes away, such as a deleted one, or if its elements
 * are reused for another row.
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

/** Moves the focus to a row's link. Returns false if the row is not in the page. */
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

/** Returns the tracks of the columns as a variable for the style sheet. */
export const tracks = <Row,>(columns: Column<Row>[]): CSSProperties =>
  ({ '--columns': columns.map(({ width }) => width).join(' ') }) as CSSProperties
