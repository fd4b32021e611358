const STEPS: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [86_400 * 30, 'day', 86_400],
  [86_400 * 365, 'month', 86_400 * 30],
  [Number.POSITIVE_INFINITY, 'year', 86_400 * 365],
]

/** "3 min. ago", "in 2 hr.": how far `at` is from `now`, both in milliseconds. */
export function relativeTime(at: number, now: number, language: string): string {
  const seconds = (at - now) / 1000
  const distance = Math.abs(seconds)
  const [, unit, size] = STEPS.find(([limit]) => distance < limit) ?? ['', 'year', 86_400 * 365]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }).format(
    Math.trunc(seconds / size),
    unit,
  )
}

export const exactTime = (at: string, language: string): string =>
  new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' })

/** 10:02:11 */
export const clockTime = (at: string, language: string): string =>
  new Date(at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

/** A moment soon: only the clock today, with the day otherwise. */
export function soonTime(at: string, now: number, language: string): string {
  const date = new Date(at)
  const sameDay = new Date(now).toDateString() === date.toDateString()
  return date.toLocaleString(language, {
    ...(sameDay ? {} : { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  })
}

/** 31 Jan 2027 */
export const dayOf = (at: string, language: string): string =>
  new Date(at).toLocaleDateString(language, { dateStyle: 'medium' })
