import { createBoundedMap } from '../../../lib/bounded-map.ts'

// Waiting times after Meta's rate limits. Meta documents no `Retry-After`. It asks for 4^n seconds
// after 131056 and for growing pauses after the other codes.

const LONGEST_SECONDS = 3600
const MOST_KEPT = 10_000

/** Stands for a code if Meta did not answer, or only a gateway in front of Meta did. */
export const UNANSWERED = -1

/** Meta's code for too many messages to one person. Messages to others are not limited. */
export const TOO_MANY_TO_ONE = 131056

const GROWTH = new Map<number, { first: number; factor: number }>([
  [UNANSWERED, { first: 5, factor: 3 }],
  [TOO_MANY_TO_ONE, { first: 4, factor: 4 }],
  [130429, { first: 1, factor: 2 }],
  // Meta counts these calls per hour, so a wait of seconds would only be refused again.
  ...[4, 17, 32, 613, 80007, 80008].map((code) => [code, { first: 60, factor: 2 }] as const),
  // 10 messages an hour.
  [132069, { first: 360, factor: 2 }],
])

/** Returns the seconds to wait after a refusal. @param refusals in a row, counted from 1 */
export function waitSeconds(code: number, refusals: number): number {
  const { first, factor } = GROWTH.get(code) ?? { first: 1, factor: 2 }
  return Math.min(LONGEST_SECONDS, first * factor ** Math.min(refusals - 1, 12))
}

export type RateLimitBackoff = ReturnType<typeof createRateLimitBackoff>

/** Counts refusals in a row. Twice the last wait without a refusal resets the count. */
export function createRateLimitBackoff(now: () => number) {
  const rows = createBoundedMap<string, { refusals: number; until: number }>(MOST_KEPT)
  return {
    /**
     * Returns the seconds to wait after this refusal.
     * @param key limited number, or number and person
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
