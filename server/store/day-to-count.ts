import { daysBetween } from '../lib/local-time.ts'
import { DAY, HOUR } from '../lib/time.ts'
import type { TalliedDay } from './tallies.ts'

/**
 * A day is counted this long after its end; half of it is room for clocks of nodes that differ
 * (statements/tallies.ts).
 */
const COUNTED_AFTER = HOUR
/** By then the last status has been reported of nearly all messages. */
const SETTLED_AFTER = 33 * DAY

/**
 * The newest day that is over and not counted. If there is none, one that was counted more than a
 * day ago and whose messages may have changed since: counting it again should find no difference,
 * and sets right whatever differs. Pure.
 * @param first when the oldest message was accepted
 */
export function dayToCount(first: number, known: readonly TalliedDay[], now: number): TalliedDay | undefined {
  const keyOf = ({ since, until }: { since: number; until: number }) => `${since} ${until}`
  const byKey = new Map(known.map((day) => [keyOf(day), day]))
  const days = daysBetween(first, now - COUNTED_AFTER)
    .map((day) => byKey.get(keyOf(day)) ?? { ...day, talliedAt: null })
    .toReversed()
  return (
    days.find(({ talliedAt }) => talliedAt === null) ??
    days.find(
      ({ until, talliedAt }) =>
        talliedAt !== null && Math.abs(now - talliedAt) > DAY && talliedAt < until + SETTLED_AFTER,
    )
  )
}
