import { type Language, LOCALES } from '../contract/settings.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Units of a distance in time. The first unit whose limit is larger than the distance is used. */
const UNITS: [limit: number, unit: Intl.RelativeTimeFormatUnit, size: number][] = [
  [MINUTE, 'second', SECOND],
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [30 * DAY, 'day', DAY],
  [365 * DAY, 'month', 30 * DAY],
  [Number.POSITIVE_INFINITY, 'year', 365 * DAY],
]

const BYTE_UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export type Formats = ReturnType<typeof createFormats>

const made = new Map<Language, Formats>()

/** Returns the formats of a language. They are created once, because that is slow in a list. */
export function formatsOf(language: Language): Formats {
  const formats = made.get(language) ?? createFormats(LOCALES[language])
  made.set(language, formats)
  return formats
}

interface Formatter<Args extends unknown[]> {
  format: (...args: Args) => string
}

/** Returns a formatter that is created on its first use, because creating one is slow. */
function lazily<Args extends unknown[]>(make: () => Formatter<Args>): Formatter<Args> {
  let made: Formatter<Args> | undefined
  return {
    format(...args) {
      made ??= make()
      return made.format(...args)
    },
  }
}

/**
 * Creates the formats for numbers and times in a language, always with a 24-hour clock. Times are
 * ISO texts, `now` is in milliseconds since 1970, and days are local days of this PC.
 * @param locale a BCP 47 tag with a region, such as `en-GB`
 */
export function createFormats(locale: string) {
  const times = (options: Intl.DateTimeFormatOptions) =>
    lazily<[Date]>(() => new Intl.DateTimeFormat(locale, { hourCycle: 'h23', ...options }))
  const numbers = (options: Intl.NumberFormatOptions) => lazily<[number]>(() => new Intl.NumberFormat(locale, options))
  const clock = times({ hour: '2-digit', minute: '2-digit' })
  const clockSeconds = times({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const date = times({ dateStyle: 'medium' })
  const exact = times({ dateStyle: 'medium', timeStyle: 'medium' })
  const withZone = times({
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
  const shortDay = times({ weekday: 'short', day: 'numeric', month: 'short' })
  const shortDate = times({ day: 'numeric', month: 'short' })
  const month = times({ month: 'long', year: 'numeric' })
  const relative = lazily<[number, Intl.RelativeTimeFormatUnit]>(
    () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }),
  )
  const number = numbers({})
  const percent = numbers({ style: 'percent' })
  const seconds = numbers({ maximumFractionDigits: 1 })

  /** Returns "Tue 10 Nov"; a year other than the present one is added. */
  function weekday(at: string, now: number): string {
    const day = new Date(at)
    // Drop the comma that Indonesian writes after the weekday, because a clock time may follow.
    const text = shortDay.format(day).replace(',', '')
    return day.getFullYear() === new Date(now).getFullYear() ? text : `${text} ${day.getFullYear()}`
  }

  /** Returns the distance of `at` from `now`: "3 minutes ago", "in 2 hours". */
  function distance(at: string, now: number): string {
    const ahead = Date.parse(at) - now
    const [, unit, size] = UNITS.find(([limit]) => Math.abs(ahead) < limit) ?? ['', 'year', 365 * DAY]
    return relative.format(Math.trunc(ahead / size), unit)
  }

  return {
    distance,
    weekday,
    /** 6,623. Small numbers need no formatter, because all languages write them alike. */
    number: (value: number): string =>
      Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : number.format(value),
    /** 98%, of a share between 0 and 1. Rounds down, so that only a full share is 100%. */
    percent: (share: number): string => percent.format(share < 1 ? Math.floor(share * 100) / 100 : 1),
    /** 0.8, of milliseconds. */
    seconds: (milliseconds: number): string => seconds.format(Math.round(milliseconds / 100) / 10),
    /** 48 MB, 1.5 GB */
    bytes(value: number): string {
      const step = Math.min(Math.max(Math.floor(Math.log10(Math.max(value, 1)) / 3), 1), BYTE_UNITS.length)
      const unit = BYTE_UNITS[step - 1] ?? 'kilobyte'
      return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(
        value / 1000 ** step,
      )
    },
    /** 14:02 */
    clock: (at: string): string => clock.format(new Date(at)),
    /** 14:02:11 */
    clockSeconds: (at: string): string => clockSeconds.format(new Date(at)),
    /** January 2027, of `2027-01` */
    month: (value: string): string => month.format(new Date(`${value}-15T12:00:00`)),
    /** 31 Jan */
    shortDate: (at: string): string => shortDate.format(new Date(at)),
    /** 31 Jan 2027 */
    date: (at: string): string => date.format(new Date(at)),
    /** 31 Jan 2027, 14:02:11 */
    exact: (at: string): string => exact.format(new Date(at)),
    /** 31 Jan 2027, 14:02:11 GMT+7, for paper */
    exactWithZone: (at: string): string => withZone.format(new Date(at)),
    /** Time in lists: "5 minutes ago" today, "Tue 10 Nov 14:02" on any other day. */
    moment: (at: string, now: number): string =>
      isSameDay(at, now) ? distance(at, now) : `${weekday(at, now)} ${clock.format(new Date(at))}`,
    /** Time in the future: "14:02" today, "Tue 10 Nov 14:02" on any other day. */
    until: (at: string, now: number): string =>
      isSameDay(at, now) ? clock.format(new Date(at)) : `${weekday(at, now)} ${clock.format(new Date(at))}`,
    /** Heading above the rows of a day: "Today", "Yesterday", "Tue 10 Nov". */
    dayHeading(at: string, now: number): string {
      const before = [0, 1].find((days) => isSameDay(at, daysBefore(now, days)))
      if (before === undefined) return weekday(at, now)
      const text = relative.format(-before, 'day')
      return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1)
    },
  }
}

/** True if both times are on the same local day of this PC. */
export const isSameDay = (at: string, other: number): boolean =>
  new Date(at).toDateString() === new Date(other).toDateString()

/** Goes back whole calendar days, because a day may have 23 or 25 hours. */
function daysBefore(now: number, days: number): number {
  const date = new Date(now)
  return date.setDate(date.getDate() - days)
}
