/**
 * Doubles from `first` up to `most` milliseconds, ±20 %, so that many clients do not come back at
 * the same moment.
 */
export function backoff(attempt: number, first: number, most: number, random: () => number): number {
  return jitter(Math.min(most, first * 2 ** Math.min(attempt - 1, 30)), random)
}

/** ±20 %. */
export function jitter(ms: number, random: () => number): number {
  return Math.round(ms * (0.8 + 0.4 * random()))
}
