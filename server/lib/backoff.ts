import { DAY, SECOND } from './clock.ts'

/**
 * Returns the pause after the `attempt`-th failure in milliseconds. The pause doubles from `first`
 * up to `most`, ±20 %, so that many clients do not come back at the same moment.
 */
export function backoff(attempt: number, first: number, most: number, random: () => number): number {
  return jitter(Math.min(most, first * 2 ** Math.min(attempt - 1, 30)), random)
}

/** Varies a duration by up to ±20 %. */
export function jitter(ms: number, random: () => number): number {
  return Math.round(ms * (0.8 + 0.4 * random()))
}

/**
 * Returns the milliseconds that a Retry-After header (RFC 9110, 10.2.3) asks for, as seconds or as
 * a date; at most a day. Null: the header is missing or unreadable.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = typeof header === 'string' ? header.trim() : ''
  if (text === '') return null
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), DAY)
}
