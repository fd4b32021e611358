import { Button, Loader, Text } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useStillRows } from '../hooks/use-still-rows.ts'
import { stepBetweenRows } from '../model/step-between-rows.ts'
import classes from './virtual-table.module.css'

export interface Column<Row> {
  id: string
  title: string
  /** A CSS grid track, such as `160px` or `minmax(0, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
}

interface VirtualTableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  idOf: (row: Row) => string
  /** Where a click on a row leads, usually the same address with the row's drawer. */
  hrefOf: (row: Row) => string
  /** Names the row's link for a screen reader. */
  nameOf: (row: Row) => string
  openId?: string | undefined
  hasMore: boolean
  loadMore: () => void
}

/** As in the style sheet; 15 rows fit on a screen of 1366×768. */
const ROW_PX = 38

/** A table of any length, newest first: only what is seen is drawn, more is read at the end, nothing jumps while reading. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, rows, idOf, hrefOf, nameOf, openId, hasMore, loadMore } = props
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const { still, fresh, onScroll } = useStillRows(rows, idOf)
  const virtualizer = useVirtualizer({
    count: still.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => idAt(still, index, idOf),
    overscan: 12,
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? -1

  useEffect(() => {
    if (hasMore && last >= still.length - 20) loadMore()
  }, [hasMore, last, still.length, loadMore])

  return (
    <div
      className={classes.frame}
      style={{ '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties}
    >
      {fresh === 0 ? null : (
        <Button
          className={classes.fresh ?? ''}
          size="xs"
          radius="xl"
          leftSection={<IconArrowUp size={14} />}
          onClick={() => scroller.current?.scrollTo({ top: 0 })}
        >
          {t('list.fresh', { count: fresh })}
        </Button>
      )}
      <div ref={scroller} className={classes.scroller} onScroll={(event) => onScroll(event.currentTarget.scrollTop)}>
        <table aria-label={label} aria-rowcount={hasMore ? -1 : still.length + 1} className={classes.table}>
          <thead>
            <tr className={classes.header}>
              {columns.map(({ id, title }) => (
                <th scope="col" key={id} data-column={id}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody style={{ height: virtualizer.getTotalSize() }}>
            {items.map(({ index, start, key }) => {
              const row = still[index]
              return row === undefined ? null : (
                <tr
                  key={key}
                  aria-rowindex={index + 2}
                  className={classes.row}
                  data-open={idOf(row) === openId || undefined}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {columns.map(({ id, cell }, place) => (
                    <td key={id} data-column={id}>
                      {place === 0 ? (
                        <Link
                          href={hrefOf(row)}
                          className={classes.link ?? ''}
                          aria-label={nameOf(row)}
                          data-row={index}
                          onKeyDown={stepBetweenRows}
                        >
                          {cell(row)}
                        </Link>
                      ) : (
                        cell(row)
                      )}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
        <Text c="dimmed" size="xs" ta="center" py="sm">
          {hasMore ? <Loader size="xs" role="status" aria-label={t('list.loadingMore')} /> : t('list.end')}
        </Text>
      </div>
    </div>
  )
}

function idAt<Row>(rows: Row[], index: number, idOf: (row: Row) => string): string | number {
  const row = rows[index]
  return row === undefined ? index : idOf(row)
}
