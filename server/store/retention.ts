import { ANSWER_KEPT_FOR } from '../contract/errors.ts'
import type { FailureCode } from '../contract/failures.ts'
import { DAY } from '../lib/clock.ts'
import { type Columns, firstOf, integer, text, textOrNull } from './columns.ts'
import { type Noted, noteMessage, type Placed } from './figures.ts'
import type { Statements } from './statements.ts'

// Bytes that one step removes. Pages of removed rows are overwritten, which takes about 2 ms for 64
// KB.
const STEP_BYTES = 256 * 1024

export interface OldMessage extends Placed {
  seq: number
  bytes: number
  reason: FailureCode | null
}

/**
 * Returns the columns of a message that is to be removed.
 * @param reason SQL for the code of its failure
 */
export const oldMessage = (reason: string): Columns<OldMessage> => ({
  seq: integer('m.seq'),
  bytes: integer('coalesce(octet_length(m.body), 0) + coalesce(octet_length(m.template), 0)'),
  senderId: integer('m.sender_id'),
  channel: text('m.channel'),
  createdAt: integer('m.created_at'),
  status: text('m.status'),
  reason: textOrNull(reason),
})

/** Returns the first messages, as many as one step removes. */
export const oneStep = (rows: readonly OldMessage[]): readonly OldMessage[] =>
  firstOf(rows, STEP_BYTES, ({ bytes }) => bytes)

/**
 * Takes removed messages out of the book of figures, except those of the sandbox, which count
 * nowhere.
 */
export function noteRemoved(noted: Noted, rows: readonly OldMessage[], isSandbox: (senderId: number) => boolean): void {
  for (const { reason, ...message } of rows)
    if (!isSandbox(message.senderId))
      noteMessage(noted, { ...message, error: reason === null ? null : { code: reason } }, -1)
}

/**
 * Finds deliveries that are tried or will be: their endpoint is on, or was switched off
 * automatically.
 */
export const PENDING = `SELECT 1 FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
  WHERE d.state = 'pending' AND (w.enabled = 1 OR w.disabled_reason IS NOT NULL)`

// Meta repeats a callback for seven days at most.
const REPEATED_FOR = 7 * DAY
const DIGESTS_KEPT = 8 * DAY
// WhatsApp keeps messages that a device did not fetch for about a month.
const SEEN_FOR = 31 * DAY

/** Creates the steps whose statements are the same in both engines. */
export function createRetentionSteps({ bind, write, writeEach }: Statements) {
  // Contacts without a date get the current one, because nobody knows how long they have been
  // there.
  const date = bind('UPDATE contacts SET last_message_at = $1 WHERE last_message_at IS NULL AND checked_at = 0')
  const contacts = bind(
    `DELETE FROM contacts WHERE (sender_id, phone) IN (SELECT c.sender_id, c.phone FROM contacts c
       WHERE c.checked_at < $1 AND coalesce(c.last_message_at, 0) < $1
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.recipient = c.phone) LIMIT $2)`,
  )
  const answers = bind('DELETE FROM idempotency WHERE created_at < $1')
  // Removes deliveries as well, because a reply without its body cannot be sent again.
  const replies = bind(
    'DELETE FROM events WHERE seq IN (SELECT event_seq FROM replies WHERE expires_at <= $1 LIMIT $2)',
  )
  const seenReplies = bind('DELETE FROM replies_seen WHERE at < $1')
  const holds = bind('DELETE FROM marketing_holds WHERE until <= $1')
  const earlyStatuses = bind('DELETE FROM early_statuses WHERE received_at < $1')
  const digests = bind(
    `DELETE FROM meta_inbox WHERE seq IN (SELECT seq FROM meta_inbox
       WHERE applied_at IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2)`,
  )
  return {
    forgetPeople: ({ ms, now }, batch) => write(date(now), contacts(ms, batch)),
    async expire({ now, ended }, batch) {
      const removed = await writeEach(
        answers(ended - ANSWER_KEPT_FOR),
        replies(ended, batch),
        seenReplies(ended - SEEN_FOR),
        holds(now),
        earlyStatuses(now - REPEATED_FOR),
        digests(now - DIGESTS_KEPT, batch),
      )
      return Math.max(...removed)
    },
  } satisfies Partial<RetentionStore>
}

export interface RetentionStore {
  /**
   * Removes one step, at most `batch` rows, of messages and events that changed last before `ms`;
   * resolves with the number of rows, 0 when none are left. Keeps waiting messages and all that a
   * pending callback needs. Keeps sent messages until `silent`, because their status may still
   * change.
   */
  removeBefore(times: { ms: number; silent: number }, batch: number): Promise<number>
  /**
   * Removes one batch of contacts that nobody wrote to or heard from since `ms`; resolves with
   * their number.
   */
  forgetPeople(times: { ms: number; now: number }, batch: number): Promise<number>
  /**
   * Removes one batch of everything that is kept for a fixed time: answers to repeated calls and
   * customers' replies by `ended`; holds, early statuses and digests of Meta's callbacks by `now`.
   * Resolves with the number of the largest kind; if it is below `batch`, nothing is left.
   */
  expire(times: { now: number; ended: number }, batch: number): Promise<number>
  /** Erases the remains of removed rows from the files. */
  scrub(): Promise<void>
}
