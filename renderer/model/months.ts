/** The month of a moment, such as `2026-11`. */
export function monthOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}

/** This month and the ones before it, the newest first. */
export function lastMonths(now: number, count: number): string[] {
  const date = new Date(now)
  return Array.from({ length: count }, (_, back) =>
    monthOf(new Date(date.getFullYear(), date.getMonth() - back, 1).getTime()),
  )
}

/** From its first moment to that of the next month, as ISO times. */
export function monthSpan(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { from: new Date(year, number - 1, 1).toISOString(), to: new Date(year, number, 1).toISOString() }
}

/** True if messages of it may be deleted already, where they are kept for so many days. */
export const hasLost = (month: string, now: number, days: number): boolean =>
  Date.parse(monthSpan(month).from) < now - days * 24 * 3_600_000
