import { DAY, SECOND } from './time.ts'

/**
 * Milliseconds that a Retry-After header (RFC 9110, 10.2.3) asks for, given as seconds or as a
 * date; at most a day. Null if there is none, or none that can be read.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = typeof header === 'string' ? header.trim() : ''
  if (text === '') return null
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), DAY)
}
