import { createBoundedMap } from './bounded-map.ts'
import { MINUTE } from './time.ts'

const MOST_KINDS = 200

/** Verdict on a line: write it with the count of equal lines left out; null: count it only. */
export type Verdict = { repeated: number } | null

/**
 * Lets one line of a kind through each minute, and counts the others.
 * @param elapsed milliseconds, without jumps
 */
export function createRepeatedLines(elapsed: () => number): (kind: string) => Verdict {
  const kinds = createBoundedMap<string, { since: number; held: number }>(MOST_KINDS)
  return (kind) => {
    const now = elapsed()
    const known = kinds.get(kind)
    if (known !== undefined && now - known.since < MINUTE) {
      known.held += 1
      return null
    }
    kinds.set(kind, { since: now, held: 0 })
    return { repeated: known?.held ?? 0 }
  }
}
