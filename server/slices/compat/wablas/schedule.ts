import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import type { WablasSchedule, WablasSchedules } from './members.ts'

const EXAMPLE = '2026-12-01 09:00:00'

/**
 * Returns the date and time that clocks of a time zone show, such as `2026-12-01 09:00:00`.
 * @param zone undefined: the time zone of this PC
 */
// Swedish has this form.
export const shownIn = (ms: number, zone: string | undefined): string =>
  new Date(ms).toLocaleString('sv-SE', { timeZone: zone })

const asUtc = (shown: string): number => Date.parse(`${shown.replace(' ', 'T')}Z`)

/**
 * Returns when clocks of a time zone show this date and time, in milliseconds since 1970. Pure.
 * The second look at the offset corrects the first near a change of the clocks.
 */
function momentOf(shown: string, zone: string | undefined): number {
  const offsetAt = (ms: number) => asUtc(shownIn(ms, zone)) - ms
  const near = asUtc(shown) - offsetAt(asUtc(shown))
  return asUtc(shown) - offsetAt(near)
}

/** Returns a day and a time as ISO 8601 in UTC. @throws ApiError `invalid_request` for `field` */
function timeOf(day: string, time: string, zone: string | undefined, field: string): string {
  const shown = `${day.trim()} ${time
    .trim()
    .replace(/^\d\d?:\d\d$/, '$&:00')
    .padStart(8, '0')}`
  const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(shown) && !Number.isNaN(asUtc(shown))
  if (!isTime || new Date(asUtc(shown)).toISOString().slice(0, 10) !== day.trim())
    throw invalidRequest([fieldProblem(field, 'wrong_form', { example: EXAMPLE })])
  try {
    return new Date(momentOf(shown, zone)).toISOString()
  } catch {
    throw invalidRequest([fieldProblem('timezone', 'wrong_form', { example: 'Asia/Jakarta' })])
  }
}

export interface PlannedEntry {
  entry: WablasSchedule | WablasSchedules['data'][number]
  content: { message: string; send_at: string }
  /** Undefined: the time zone of this PC. */
  zone: string | undefined
}

/** @throws ApiError `invalid_request` */
export function plannedAt(entry: WablasSchedule): PlannedEntry {
  const zone = entry.timezone?.trim() || undefined
  return { entry, content: { message: entry.message, send_at: timeOf(entry.date, entry.time, zone, 'date') }, zone }
}

/** @throws ApiError `invalid_request` */
export function plannedOf(entry: WablasSchedules['data'][number]): PlannedEntry {
  const zone = entry.timezone?.trim() || undefined
  const [day = '', time = ''] = entry.scheduled_at.trim().split(/[ T]+/)
  return { entry, content: { message: entry.text, send_at: timeOf(day, time, zone, 'scheduled_at') }, zone }
}
