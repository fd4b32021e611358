/**
 * Steps to the rows beside the one at `at`; undefined at the ends of the list, and where it holds
 * no such row.
 */
export function neighbours<Row>(rows: readonly Row[], at: number, open: (row: Row) => void) {
  const leadTo = (row: Row | undefined) => (row === undefined || at === -1 ? undefined : () => open(row))
  return { previous: leadTo(rows[at - 1]), next: leadTo(rows[at + 1]) }
}
