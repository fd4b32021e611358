import { useMemo } from 'react'
import { useBesideDrawer } from '../../hooks/use-narrow.ts'
import type { Column } from './column.ts'

/**
 * The columns that there is room for: beside a drawer those that a phone shows too, without
 * buttons.
 */
export function useShownColumns<Row>(columns: Column<Row>[]): Column<Row>[] {
  const isBeside = useBesideDrawer()
  return useMemo(
    () => (isBeside ? columns.filter(({ narrow }) => narrow !== undefined && narrow !== 'action') : columns),
    [columns, isBeside],
  )
}
