/** How long the answer to an Idempotency-Key is kept (milliseconds). */
export const KEPT_FOR = 24 * 3_600_000

const KEPT = new Set([200, 422, 504])

/**
 * True if an answer with this HTTP status is given again to a repeated call. After the others
 * nothing has happened, so that the caller may try again with the same key.
 */
export const isKeptAnswer = (status: number): boolean => KEPT.has(status)
