import type { ChangeMessageRequest } from '../contract/messages.ts'
import { DAY, SECOND } from '../lib/time.ts'
import type { Change, EndNamed, Message } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

// How far ahead a message may be planned, and how long it may wait from then.
const LATEST = 30 * DAY
const SHORTEST_LIFE = 30 * SECOND

/**
 * When a message with a `send_at` is due; a time that is over means now.
 * @throws ApiError `invalid_request`
 */
export function sendAt(time: string, now: number): number {
  const at = Date.parse(time)
  if (at > now + LATEST) throw invalidRequest([fieldProblem('send_at', 'too_far_ahead', { days: 30 })])
  return Math.max(at, now)
}

/** @throws ApiError `invalid_request` */
function expiresAt(time: string, dueAt: number): number {
  const at = Date.parse(time)
  if (at < dueAt + SHORTEST_LIFE) {
    throw invalidRequest([fieldProblem('expires_at', 'too_soon', { seconds: 30 })])
  }
  return Math.min(at, dueAt + LATEST)
}

/** When a message ends, as a request says it. */
export interface Ending {
  ttl?: number | null | undefined
  expires_at?: string | null | undefined
}

export function expiryOf({ ttl, expires_at }: Ending, dueAt: number): number | undefined {
  if (ttl != null) return dueAt + Math.round(ttl * 1000)
  return expires_at == null ? undefined : expiresAt(expires_at, dueAt)
}

export const endNamed = ({ ttl, expires_at }: Ending): EndNamed =>
  ttl != null ? 'length' : expires_at != null ? 'moment' : 'no'

/**
 * A caller's change of a message that waits. If only its time moves, its end moves with it.
 * @throws ApiError `invalid_request`
 */
export function plannedChange(
  message: Message,
  { send_at, expires_at, priority }: ChangeMessageRequest,
  at: number,
): Change {
  const dueAt = send_at === undefined ? message.dueAt : sendAt(send_at, at)
  const movedEnd = message.expiresAt + dueAt - message.dueAt
  return {
    at,
    dueAt,
    expiresAt: expires_at === undefined ? movedEnd : expiresAt(expires_at, dueAt),
    ...(expires_at === undefined ? {} : { endNamed: 'moment' as const }),
    ...(send_at === undefined ? {} : { nextAt: dueAt, dueNamed: true }),
    ...(priority === undefined ? {} : { priority }),
  }
}
