/**
 * Returns functions that open the rows before and after index `at`. A function is undefined at an
 * end of the list, and if `at` is -1.
 */
export function neighbours<Row>(rows: readonly Row[], at: number, open: (row: Row) => void) {
  const leadTo = (row: Row | undefined) => (row === undefined || at === -1 ? undefined : () => open(row))
  return { previous: leadTo(rows[at - 1]), next: leadTo(rows[at + 1]) }
}
