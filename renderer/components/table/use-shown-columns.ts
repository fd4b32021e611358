import { useBesideDrawer } from '../../hooks/use-narrow.ts'
import type { Column } from './column.ts'

/** The columns that there is room for: beside the drawer of a row those that a phone shows too, without buttons. */
export function useShownColumns<Row>(columns: Column<Row>[], openId: string | undefined): Column<Row>[] {
  const beside = useBesideDrawer()
  if (!beside || openId === undefined) return columns
  return columns.filter(({ narrow }) => narrow !== undefined && narrow !== 'action')
}
