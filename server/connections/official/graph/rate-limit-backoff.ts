import { createBoundedMap } from '../../../lib/bounded-map.ts'

/**
 * How long a caller is asked to wait after one of Meta's limits. Meta documents no `Retry-After`;
 * it asks for 4^n seconds after 131056 and for a growing pause after the others.
 */

const LONGEST_SECONDS = 3600
const MOST_KEPT = 10_000

/** In the place of a code: Meta did not answer, or only a gateway in front of it did. */
export const UNANSWERED = -1

/** Code for a person who got too many messages; others may still get theirs. */
export const TOO_MANY_TO_ONE = 131056

const GROWTH = new Map<number, { first: number; factor: number }>([
  [UNANSWERED, { first: 5, factor: 3 }],
  [TOO_MANY_TO_ONE, { first: 4, factor: 4 }],
  [130429, { first: 1, factor: 2 }],
  // These are counted over an hour: seconds would only be refused again.
  ...[4, 17, 32, 613, 80007, 80008].map((code) => [code, { first: 60, factor: 2 }] as const),
  // 10 messages an hour.
  [132069, { first: 360, factor: 2 }],
])

/** Seconds to wait after the nth refusal in a row, counted from 1. */
export function waitSeconds(code: number, refusals: number): number {
  const { first, factor } = GROWTH.get(code) ?? { first: 1, factor: 2 }
  return Math.min(LONGEST_SECONDS, first * factor ** Math.min(refusals - 1, 12))
}

export type RateLimitBackoff = ReturnType<typeof createRateLimitBackoff>

/** Counts refusals in a row. A quiet time of twice the last wait resets the count. */
export function createRateLimitBackoff(now: () => number) {
  const rows = createBoundedMap<string, { refusals: number; until: number }>(MOST_KEPT)
  return {
    /**
     * Seconds to wait after this refusal; `key` names what is limited: a number, or a number and a
     * person.
     */
    refused(key: string, code: number): number {
      const row = rows.get(key)
      const refusals = row !== undefined && now() < row.until ? row.refusals + 1 : 1
      const seconds = waitSeconds(code, refusals)
      rows.set(key, { refusals, until: now() + 2 * seconds * 1000 })
      return seconds
    },
    accepted: (key: string): void => rows.delete(key),
  }
}
