import { ApiError, type ErrorCode } from '../contract/errors.ts'

/** Refusals that follow from what a node keeps in memory: keys, owner logins, senders, webhooks. */
const UNKNOWN: readonly ErrorCode[] = ['invalid_api_key', 'owner_only', 'sender_not_found', 'not_found']

/**
 * Does something, and once more where it is refused because something is unknown here: another node
 * may have made it a moment ago.
 * @param refresh reads what other nodes have changed; undefined: there are none
 * @param again is given the refusal
 */
export async function lookAgain<T>(
  refresh: (() => Promise<void>) | undefined,
  first: () => T | Promise<T>,
  again: (refusal: ApiError) => T | Promise<T> = first,
): Promise<T> {
  try {
    return await first()
  } catch (error) {
    if (refresh === undefined || !(error instanceof ApiError) || !UNKNOWN.includes(error.code)) throw error
    await refresh()
    return again(error)
  }
}
