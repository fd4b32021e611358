import type { Status } from '../contract/messages.ts'
import { type Columns, integer, text } from './columns.ts'
import type { Statements } from './statements.ts'

export interface UnsettledRow {
  seq: number
  providerMessageId: string
  createdAt: number
}

/** Messages through the official route of which a status is missing. */
export interface OfficialMessageStore {
  /**
   * Ids of template messages that have been in `status` since before `ms` and that no lane tries
   * again.
   */
  templatesIn(status: Status, ms: number, limit: number): Promise<string[]>
  /** When the first template message was accepted, in a span of time, of which no status came. */
  silentSince(laneId: number, from: number, to: number): Promise<number | null>
  /** Template messages without a final status, accepted in a span of time, after a `seq`. */
  unsettled(laneId: number, after: number, from: number, to: number, limit: number): Promise<UnsettledRow[]>
  /** The number to which the newest message to the person went whom Meta names by this ID. */
  numberOf(laneId: number, userId: string): Promise<string | null>
}

const UNSETTLED: Columns<UnsettledRow> = {
  seq: integer('seq'),
  providerMessageId: text('provider_message_id'),
  createdAt: integer('created_at'),
}

export function createOfficialMessages({ rows, one }: Statements): OfficialMessageStore {
  // One that waited in a lane reached its status long after it came, and one that is tried again is
  // the lane's.
  const templatesIn = rows(
    { id: text('id') },
    `FROM messages WHERE channel = 'template' AND status = $1 AND created_at < $2 AND occurred_at < $2
       AND next_at IS NULL ORDER BY seq LIMIT $3`,
  )
  // One that waited in a lane was accepted by Meta long after it came.
  const silent = one(
    { at: integer('occurred_at') },
    `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status = 'accepted' AND created_at >= $2
       AND created_at < $3 AND occurred_at < $3 ORDER BY created_at LIMIT 1`,
  )
  // Messages are sent to an ID as well.
  const number = one(
    { number: text('recipient') },
    `FROM messages WHERE recipient_user_id = $2 AND lane_id = $1 AND recipient <> $2 ORDER BY seq DESC LIMIT 1`,
  )
  return {
    templatesIn: async (status, ms, limit) => (await templatesIn(status, ms, limit)).map(({ id }) => id),
    silentSince: async (laneId, from, to) => (await silent(laneId, from, to))?.at ?? null,
    unsettled: rows(
      UNSETTLED,
      `FROM messages WHERE lane_id = $1 AND channel = 'template' AND status IN ('accepted', 'sent')
         AND provider_message_id IS NOT NULL AND seq > $2 AND created_at >= $3 AND created_at < $4
       ORDER BY seq LIMIT $5`,
    ),
    numberOf: async (laneId, userId) => (await number(laneId, userId))?.number ?? null,
  }
}
