import { Button, Loader, Text } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../hooks/use-format.ts'
import { useLow, useNarrow } from '../../hooks/use-narrow.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useStillRows } from '../../hooks/use-still-rows.ts'
import { type DayItem, withDays } from '../../model/day-items.ts'
import { takeSlots } from '../../model/slots.ts'
import type { Column } from './column.ts'
import { LinkRow, TableHead, tracks } from './link-row.tsx'
import classes from './table.module.css'
import { useShownColumns } from './use-shown-columns.ts'

interface VirtualTableProps<Row> {
  label: string
  columns: Column<Row>[]
  /** Newest first. */
  rows: Row[]
  /** Id of a row. A greater id must be a newer row. */
  idOf: (row: Row) => string
  /** ISO time of a row, for the headings of days. */
  timeOf: (row: Row) => string
  /** Target of a click on a row, usually the same address with the row's drawer. */
  hrefOf: (row: Row) => string
  /** Names the row's link for a screen reader. */
  nameOf: (row: Row) => string
  openId?: string | undefined
  hasMore: boolean
  loadMore: () => void
}

/** Heights of the style sheet, in pixels. 15 rows fit on a screen of 1366×768. */
const ROW = { wide: 38, narrow: 68, low: 56, day: 32 }
const HEAD = 36
/** The next page is read when this many rows are left. */
const AHEAD = 20

/**
 * A table of any length. Draws only the visible rows, reads more at the end, and does not move rows
 * while they are read.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, rows, idOf, timeOf, hrefOf, nameOf, openId, hasMore, loadMore } = props
  const columns = useShownColumns(props.columns)
  const { t } = useTranslation()
  const narrow = useNarrow()
  const low = useLow()
  const today = new Date(useNow(60_000)).toDateString()
  const scroller = useRef<HTMLDivElement>(null)
  const { still, fresh, onScroll } = useStillRows(rows, idOf)
  // Each step of a scroll draws this component again, so work over all rows must be memoised.
  const items = useMemo(() => withDays(still, timeOf, today), [still, timeOf, today])
  const heightOf = (item: DayItem<Row> | undefined) =>
    item?.kind === 'day' ? ROW.day : narrow ? (low ? ROW.low : ROW.narrow) : ROW.wide
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(items[index]),
    getItemKey: useCallback((index: number) => keyOf(items[index], idOf) ?? index, [items, idOf]),
    overscan: 4,
    // The table's head takes this height of the scrolled area.
    scrollPaddingEnd: narrow ? 0 : HEAD,
  })
  const shown = virtualizer.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  const slots = useRef<ReadonlyMap<unknown, number>>(new Map())
  slots.current = takeSlots(
    slots.current,
    shown.map(({ key }) => key),
  )

  useEffect(() => {
    if (hasMore && last >= items.length - AHEAD) loadMore()
  }, [hasMore, last, items.length, loadMore])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another open row scrolls, not rows that arrive
  useEffect(() => {
    const at = items.findIndex((item) => item.kind === 'row' && idOf(item.row) === openId)
    if (at !== -1) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [openId])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the width changes all heights
  useEffect(() => virtualizer.measure(), [narrow, low, virtualizer])

  function scrolled(top: number) {
    onScroll(top)
    // In a low window, scrolls the page's head out of view to make room for the table.
    if (low && top > 0) scroller.current?.scrollIntoView({ block: 'start' })
  }

  return (
    <div className={classes.frame} data-fill style={tracks(columns)}>
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
      <div ref={scroller} className={classes.scroller} onScroll={(event) => scrolled(event.currentTarget.scrollTop)}>
        <table aria-label={label} aria-rowcount={hasMore ? -1 : items.length + 1} className={classes.table}>
          <TableHead columns={columns} />
          {/* The padding places all rows: a style of its own for each row would be slow in Chromium. */}
          <tbody style={{ height: virtualizer.getTotalSize(), paddingTop: shown[0]?.start ?? 0 }}>
            {shown.map(({ index, key }) => {
              const item = items[index]
              if (item === undefined) return null
              const slot = slots.current.get(key)
              if (item.kind === 'day') return <DayRow key={slot} at={item.at} index={index} />
              return (
                <LinkRow
                  key={slot}
                  columns={columns}
                  row={item.row}
                  id={idOf(item.row)}
                  href={hrefOf(item.row)}
                  name={nameOf(item.row)}
                  place={item.place}
                  open={idOf(item.row) === openId}
                  aria-rowindex={index + 2}
                />
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

interface DayRowProps {
  at: string
  index: number
}

function DayRow({ at, index }: DayRowProps) {
  const format = useFormat()
  const now = useNow(60_000)
  return (
    <tr className={classes.day} aria-rowindex={index + 2}>
      <th scope="rowgroup">{format.dayHeading(at, now)}</th>
    </tr>
  )
}

function keyOf<Row>(item: DayItem<Row> | undefined, idOf: (row: Row) => string): string | undefined {
  if (item === undefined) return undefined
  return item.kind === 'day' ? `day ${item.at}` : idOf(item.row)
}
