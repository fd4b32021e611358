/** An item of a list: a day's heading, or a row with its index among the rows (`place`). */
export type DayItem<Row> = { kind: 'day'; at: string } | { kind: 'row'; row: Row; place: number }

/**
 * Puts a heading above the rows of each day. Today's rows come first and get none.
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
