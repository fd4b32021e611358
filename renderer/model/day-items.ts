/**
 * An item of a list: a row, or a heading where another day begins. `place`: the row's number in the
 * list.
 */
export type DayItem<Row> = { kind: 'day'; at: string } | { kind: 'row'; row: Row; place: number }

/**
 * Rows with a heading above those of each day; today's come before the first heading and need none.
 * @param timeOf ISO time of a row
 * @param today as `toDateString()` writes it
 */
export function withDays<Row>(rows: readonly Row[], timeOf: (row: Row) => string, today: string): DayItem<Row>[] {
  const items: DayItem<Row>[] = []
  let day = today
  for (const [place, row] of rows.entries()) {
    const at = timeOf(row)
    const ofRow = new Date(at).toDateString()
    if (ofRow !== day) items.push({ kind: 'day', at })
    day = ofRow
    items.push({ kind: 'row', row, place })
  }
  return items
}
