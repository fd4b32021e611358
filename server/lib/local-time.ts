/** Returns the day on the PC's calendar, such as `2026-11-21`. */
export function localDay(ms: number): string {
  const date = new Date(ms)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Returns the month on the PC's calendar, such as `2026-11`. */
export const localMonth = (ms: number): string => localDay(ms).slice(0, 7)

/**
 * Returns the span of a month such as `2026-11` on the PC's calendar. `until` is the first moment
 * of the next month.
 */
export function spanOfMonth(month: string): { since: number; until: number } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { since: new Date(year, number - 1, 1).getTime(), until: new Date(year, number, 1).getTime() }
}

/** Returns the first moment of the day of `ms` on the PC's calendar, moved by `days`. */
export function startOfDay(ms: number, days = 0): number {
  const date = new Date(ms)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

/** Returns the next moment, at or after `ms`, at which the PC's clock shows `hh:mm`. */
export function nextTimeOfDay(ms: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const on = (days: number) => {
    const date = new Date(ms)
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hours, minutes).getTime()
  }
  return on(0) >= ms ? on(0) : on(1)
}

/**
 * Returns the days of the PC's calendar from the day of `from` to the last one that ends at or
 * before `to`.
 */
export function daysBetween(from: number, to: number): { since: number; until: number }[] {
  const days: { since: number; until: number }[] = []
  for (let since = startOfDay(from); ; ) {
    const until = startOfDay(since, 1)
    if (until > to) return days
    days.push({ since, until })
    since = until
  }
}

/**
 * Returns the first moment of a date such as `2026-11-21` on the PC's calendar, moved by `days`.
 */
export function startOfDate(date: string, days = 0): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day + days).getTime()
}
