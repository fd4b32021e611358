/** Returns the month of a time in milliseconds, such as `2026-11`, in the browser's time zone. */
export function monthOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}

/** Returns this month and the months before it, newest first. */
export function lastMonths(now: number, count: number): string[] {
  const date = new Date(now)
  return Array.from({ length: count }, (_, back) =>
    monthOf(new Date(date.getFullYear(), date.getMonth() - back, 1).getTime()),
  )
}

/** Returns the begin of a month and of the next month, as ISO times. */
export function monthSpan(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { from: new Date(year, number - 1, 1).toISOString(), to: new Date(year, number, 1).toISOString() }
}

/** True if messages of a month may have been deleted. @param days retention of messages */
export const hasLost = (month: string, now: number, days: number): boolean =>
  Date.parse(monthSpan(month).from) < now - days * 24 * 3_600_000
