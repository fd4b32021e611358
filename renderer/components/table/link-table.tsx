import type { Column } from './column.ts'
import { LinkRow, TableHead, tracks } from './link-row.tsx'
import classes from './table.module.css'
import { useShownColumns } from './use-shown-columns.ts'

interface LinkTableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  idOf: (row: Row) => string
  hrefOf: (row: Row) => string
  /** Names the row's link for screen readers. Default: the first cell. */
  nameOf?: (row: Row) => string
  openId: string | undefined
  isEnded?: (row: Row) => boolean
}

/** A short table whose rows are links to their drawers. */
export function LinkTable<Row>(props: LinkTableProps<Row>) {
  const { label, columns: all, rows, idOf, hrefOf, nameOf, openId, isEnded } = props
  const columns = useShownColumns(all)
  return (
    <div className={classes.frame} style={tracks(columns)}>
      <table aria-label={label} className={classes.table} data-tall>
        <TableHead columns={columns} />
        <tbody>
          {rows.map((row, place) => (
            <LinkRow
              key={idOf(row)}
              columns={columns}
              row={row}
              id={idOf(row)}
              href={hrefOf(row)}
              {...(nameOf === undefined ? {} : { name: nameOf(row) })}
              place={place}
              open={idOf(row) === openId}
              ended={isEnded?.(row) === true}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}
