import type { FailureCode } from '../contract/failures.ts'
import { type Columns, firstOf, integer, text, textOrNull } from './columns.ts'
import { type Noted, noteMessage, type Placed } from './figures.ts'
import type { Statements } from './statements.ts'

// Bytes of one step: pages of removed rows are overwritten, about 2 ms for 64 KB.
const STEP_BYTES = 256 * 1024

export interface OldMessage extends Placed {
  seq: number
  bytes: number
  reason: FailureCode | null
}

/** Columns of a message that is to be removed. @param reason where its failure has its code */
export const oldMessage = (reason: string): Columns<OldMessage> => ({
  seq: integer('m.seq'),
  bytes: integer('coalesce(octet_length(m.body), 0) + coalesce(octet_length(m.template), 0)'),
  senderId: integer('m.sender_id'),
  channel: text('m.channel'),
  createdAt: integer('m.created_at'),
  status: text('m.status'),
  reason: textOrNull(reason),
})

/** The first of these messages, as many as one step removes. */
export const oneStep = (rows: readonly OldMessage[]): readonly OldMessage[] =>
  firstOf(rows, STEP_BYTES, ({ bytes }) => bytes)

/** @param isSandbox its messages count nowhere */
export function noteRemoved(noted: Noted, rows: readonly OldMessage[], isSandbox: (senderId: number) => boolean): void {
  for (const { reason, ...message } of rows)
    if (!isSandbox(message.senderId))
      noteMessage(noted, { ...message, error: reason === null ? null : { code: reason } }, -1)
}

/** A delivery that is tried or will be again: its endpoint is on, or was switched off by itself. */
export const PENDING = `SELECT 1 FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
  WHERE d.state = 'pending' AND (w.enabled = 1 OR w.disabled_reason IS NOT NULL)`

export function forgettingPeople({ bind, write }: Statements): RetentionStore['forgetPeople'] {
  // One that has no date yet gets this one: nobody knows how long it has been there.
  const date = bind('UPDATE contacts SET last_message_at = $1 WHERE last_message_at IS NULL AND checked_at = 0')
  const contacts = bind(
    `DELETE FROM contacts WHERE (sender_id, phone) IN (SELECT c.sender_id, c.phone FROM contacts c
       WHERE c.checked_at < $1 AND coalesce(c.last_message_at, 0) < $1
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.recipient = c.phone) LIMIT $2)`,
  )
  return ({ ms, now }, batch) => write(date(now), contacts(ms, batch))
}

export interface RetentionStore {
  /**
   * One step of what changed last before `ms`, of `batch` rows at most; resolves with how many rows
   * went, 0 when all have. What waits stays, and what a callback still needs; so does, until
   * `silent`, what was sent and may still be reported on.
   */
  removeBefore(times: { ms: number; silent: number }, batch: number): Promise<number>
  /**
   * One batch of contacts that nobody wrote to or heard from since `ms`; resolves with how many.
   */
  forgetPeople(times: { ms: number; now: number }, batch: number): Promise<number>
  /** After rows were removed: nothing of them is left in the files. */
  scrub(): Promise<void>
}
