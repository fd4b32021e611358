import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isoTime } from '../lib/clock.ts'
import { StorageError } from '../lib/storage-error.ts'

const move = z.object({
  /** The new place, without a password. */
  to: z.string(),
  at: z.number(),
  id: z.string(),
  /** True if the new place is known to have everything. */
  through: z.boolean(),
})

/**
 * The mark of a place that was left with `kurir migrate-to`. It is on disk before the copy is
 * committed, because two places with the same messages would send them twice. A move that was
 * interrupted between the two is repeated.
 */
export type Move = z.infer<typeof move>

/** Name of the mark's row in `meta`. */
export const MOVED_TO = 'moved_to'
/** Name of the row in the new place's `meta` with the id of the move that filled the place. */
export const MOVED_BY = 'moved_by'

export const newMove = (to: string): Move => ({ to, at: Date.now(), id: randomUUID(), through: false })

export const readMove = (value: string | undefined): Move | undefined =>
  value === undefined ? undefined : move.parse(JSON.parse(value))

/** Returns the error for a start, or another move, in a place that was left. */
export const movedError = ({ to, at, through }: Move, place: string): StorageError =>
  new StorageError(through ? 'moved' : 'moving', `${place}, to ${to}, ${isoTime(at)}`)

const HAS_WAITING = 'id IN (SELECT lane_id FROM messages WHERE next_at IS NOT NULL)'

/**
 * Pauses senders with waiting messages in data that is used again, from a backup or in a place that
 * was left, because these messages may have been sent since. The row of `meta` keeps the codes of
 * the senders, for a message to the owner.
 */
export const PAUSE_WAITING = `
  UPDATE senders SET paused = 1 WHERE ${HAS_WAITING};
  INSERT INTO meta (name, value)
  SELECT 'paused_by_return', coalesce(string_agg(code, ' '), '') FROM senders WHERE ${HAS_WAITING}
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`
