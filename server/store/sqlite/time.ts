import { z } from 'zod'
import type { FailureCode } from '../../contract/failures.ts'
import { MINUTE } from '../../lib/clock.ts'
import { localDay } from '../../lib/local-time.ts'
import { asStorageError } from '../../lib/storage-error.ts'
import { type Columns, integer, text, textOrNull } from '../columns.ts'
import { type Noted, noteStanding, type Placed } from '../figures.ts'
import type { ClockSet, Move, TimeStore } from '../time.ts'
import type { Db } from './database.ts'
import { type MetaValues, selecting } from './sql.ts'

const clockSet = z.object({ at: z.number(), by: z.number() })

/**
 * No row is older than the program. An earlier time was written by a PC whose clock has no battery.
 */
const FIRST_ROW = Date.UTC(2026, 0, 1)

/** SQL: true for messages from before that time, when the clock is set right. */
const IS_DATED = `@by > 0 AND @before < ${FIRST_ROW} AND created_at <= @before`

interface Moving extends Placed {
  occurredAt: number
  code: FailureCode | null
}
const STANDING: Columns<Moving> = {
  senderId: integer('sender_id'),
  channel: text('channel'),
  createdAt: integer('created_at'),
  status: text('status'),
  occurredAt: integer('occurred_at'),
  code: textOrNull(`error ->> '$.code'`),
}

export interface TimeDeps {
  db: Db
  /** Commits waiting writes. */
  drain: () => void
  writeNoted: (noted: Noted) => void
  meta: MetaValues
  isSandbox: (senderId: number) => boolean
}

export function createTime({ db, drain, writeNoted, meta, isSandbox }: TimeDeps): TimeStore {
  /** Returns SQL that is true for rows that this run wrote. */
  function isNew(table: string, id: string): string {
    const newest = selecting(db, { id: integer(`ifnull(max(${id}), 0)`) })(`FROM ${table}`)
    return `${id} > ${newest.get()?.id}`
  }
  // A time from an earlier run may be right already, so it is moved to be early rather than late.
  const waitOf = (row: string) => `iif(@by < 0 OR ${row}, @by, @back)`
  const message = isNew('messages', 'seq')
  const wait = waitOf(message)
  const moves = [
    // A waiting attempt moves, but never to before the moment that was named.
    `UPDATE messages SET created_at = created_at + iif(${message}, @by, 0), due_at = due_at + iif(due_named, 0, ${wait}),
       expires_at = expires_at + CASE WHEN due_named OR end_named = 2 THEN 0 WHEN end_named = 1 THEN ${wait} ELSE @by END,
       next_at = iif(NOT due_named, next_at + ${wait}, iif(@by < 0, max(due_at, next_at + @by), next_at))
       WHERE next_at IS NOT NULL`,
    `UPDATE messages SET created_at = created_at + @by, occurred_at = occurred_at + @by WHERE ${IS_DATED}`,
    `UPDATE webhook_deliveries SET next_at = next_at + ${waitOf(isNew('webhook_deliveries', 'id'))}
       WHERE next_at IS NOT NULL`,
    'UPDATE sending_state SET restricted_until = restricted_until + @by, day = min(day, @day) WHERE @by < 0',
    'UPDATE marketing_holds SET until = until + @by WHERE @by < 0',
    'UPDATE idempotency SET created_at = created_at + @by',
    'UPDATE files SET created_at = created_at + @by, expires_at = expires_at + @by',
    'UPDATE replies SET expires_at = expires_at + @by',
  ].map((sql) => db.prepare<[Move & { day: string }]>(sql))
  const moving = selecting(db, { seq: integer('seq') })<[Move]>(
    `FROM messages WHERE next_at IS NOT NULL OR (${IS_DATED})`,
  )
  const standing = selecting(db, STANDING)<[string]>('FROM messages WHERE seq IN (SELECT value FROM json_each(?))')
  const stored = meta.get('clock_set')
  let lastSet: ClockSet | null = stored === undefined ? null : clockSet.parse(JSON.parse(stored))

  const moveAll = db.transaction((move: Move) => {
    const { before, by } = move
    const at = before + by
    const seqs = JSON.stringify(moving.all(move).map(({ seq }) => seq))
    const noted: Noted = new Map()
    const note = (sign: 1 | -1) => {
      for (const { code, ...message } of standing.iterate(seqs))
        if (!isSandbox(message.senderId))
          noteStanding(noted, { ...message, error: code === null ? null : { code } }, sign)
    }
    note(-1)
    for (const each of moves) each.run({ ...move, day: localDay(at) })
    note(1)
    writeNoted(noted)
    meta.put('marked_at', String(at))
    if (Math.abs(by) > MINUTE) meta.put('clock_set', JSON.stringify({ at, by }))
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
