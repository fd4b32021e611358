import { z } from 'zod'
import { localDay } from '../../lib/local-time.ts'
import { asStorageError } from '../../lib/storage-error.ts'
import { MINUTE } from '../../lib/time.ts'
import type { MetaStatements } from '../statements/meta.ts'
import type { ClockSet, Move, TimeStore } from '../time.ts'
import type { Db } from './database.ts'

const clockSet = z.object({ at: z.number(), by: z.number() })

/** No row is older than the program: what says so was written by a clock without a battery. */
const FIRST_ROW = Date.UTC(2026, 0, 1)

// What an earlier run wrote may have been written by the right time: it comes early rather than
// late. What was moved back at the start because it was ahead of the clock goes back to where it
// was.
const WAIT =
  'CASE WHEN @by > 0 AND created_at < @began THEN 0 WHEN @by > 0 AND created_at > @before THEN @back ELSE @by END'

export interface TimeDeps {
  db: Db
  /** Commits what is waiting to be written. */
  drain: () => void
  meta: MetaStatements
}

export function createTime({ db, drain, meta }: TimeDeps): TimeStore {
  const moves = [
    // Another attempt waits, but never until before the moment that was named.
    `UPDATE messages SET created_at = created_at + iif(@began = 0, 0, ${WAIT}),
       due_at = due_at + iif(due_named, 0, ${WAIT}),
       expires_at = expires_at + CASE WHEN due_named OR end_named = 2 THEN 0 WHEN end_named = 1 THEN ${WAIT} ELSE @by END,
       next_at = iif(NOT due_named, next_at + ${WAIT}, iif(@by < 0, max(due_at, next_at + @by), next_at))
       WHERE next_at IS NOT NULL`,
    `UPDATE messages SET created_at = created_at + @by, occurred_at = occurred_at + @by
       WHERE @before < ${FIRST_ROW} AND @by > 0 AND next_at IS NULL AND created_at BETWEEN @began AND @before`,
    `UPDATE webhook_deliveries SET next_at = next_at + ${WAIT} WHERE next_at IS NOT NULL`,
    'UPDATE sending_state SET restricted_until = restricted_until + @by, day = min(day, @day) WHERE @by < 0',
    'UPDATE marketing_holds SET until = until + @by WHERE @by < 0',
    'UPDATE idempotency SET created_at = created_at + @by',
    'UPDATE files SET created_at = created_at + @by, expires_at = expires_at + @by',
    'UPDATE replies SET expires_at = expires_at + @by',
  ].map((sql) => db.prepare<[Move & { day: string }]>(sql))
  const stored = meta.read('clock_set')
  let lastSet: ClockSet | null = stored === undefined ? null : clockSet.parse(JSON.parse(stored))

  const moveAll = db.transaction((move: Move) => {
    const { before, by } = move
    const at = before + by
    for (const each of moves) each.run({ ...move, day: localDay(at) })
    meta.putNow('marked_at', String(at))
    if (Math.abs(by) > MINUTE) meta.putNow('clock_set', JSON.stringify({ at, by }))
  })

  return {
    shared: null,
    async move(move, moved) {
      drain()
      try {
        moveAll.immediate(move)
      } catch (error) {
        throw asStorageError(error, db.name)
      }
      moved()
      if (Math.abs(move.by) > MINUTE) lastSet = { at: move.before + move.by, by: move.by }
    },
    lastSet: () => lastSet,
  }
}
