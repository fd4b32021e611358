import { useMemo } from 'react'
import { useBesideDrawer } from '../../hooks/use-narrow.ts'
import type { Column } from './column.ts'

/** Returns the columns that fit. Beside a drawer, these are the phone's columns without buttons. */
export function useShownColumns<Row>(columns: Column<Row>[]): Column<Row>[] {
  const isBeside = useBesideDrawer()
  return useMemo(
    () => (isBeside ? columns.filter(({ narrow }) => narrow !== undefined && narrow !== 'action') : columns),
    [columns, isBeside],
  )
}
