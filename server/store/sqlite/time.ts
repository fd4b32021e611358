import { z } from 'zod'
import { localDay } from '../../lib/local-time.ts'
import { asStorageError } from '../../lib/storage-error.ts'
import { MINUTE } from '../../lib/time.ts'
import type { Write } from '../statements/engine.ts'
import type { SqliteMeta } from '../statements/meta.ts'
import { integerOrNull, selecting } from '../statements/sql.ts'
import type { ClockSet, TimeStore } from '../time.ts'
import type { Db } from './database.ts'

const clockSet = z.object({ at: z.number(), by: z.number() })

export interface TimeDeps {
  db: Db
  write: Write
  /** Commits what is waiting to be written. */
  drain: () => void
  meta: Pick<SqliteMeta, 'read' | 'put' | 'putNow'>
  /** Senders and endpoints are kept in memory. */
  reload: () => Promise<void>
}

export function createTime({ db, write, drain, meta, reload }: TimeDeps): TimeStore {
  // Of what waits alone: settled messages are not moved, so one that is ahead stays ahead for ever.
  const newest = selecting<{ at: number | null }>(db, { at: integerOrNull('max(created_at)') })(
    'FROM messages WHERE next_at IS NOT NULL',
  )
  const moves = [
    `UPDATE messages SET created_at = created_at + @by, due_at = due_at + @by, expires_at = expires_at + @by,
       next_at = next_at + @by, occurred_at = iif(status = 'sent', occurred_at, occurred_at + @by)
     WHERE status IN ('queued', 'sending', 'accepted', 'sent')`,
    `UPDATE webhook_deliveries SET next_at = next_at + @by, created_at = created_at + @by WHERE state = 'pending'`,
    `UPDATE webhook_endpoints SET replaced_secrets = (
       SELECT json_group_array(json_set(value, '$.until', value ->> 'until' + @by)) FROM json_each(replaced_secrets))
     WHERE replaced_secrets <> '[]'`,
    `UPDATE sending_state SET paced_until = paced_until + @by, restricted_until = restricted_until + @by,
       last_sent_at = last_sent_at + @by`,
    'UPDATE idempotency SET created_at = created_at + @by',
    'UPDATE contacts SET checked_at = checked_at + @by WHERE checked_at > 0',
    `UPDATE official_facts SET checked_at = checked_at + @by, templates_synced_at = templates_synced_at + @by,
       last_status_at = last_status_at + @by`,
    `UPDATE senders SET until = until + @by, no_connection_before = no_connection_before + @by
       WHERE no_connection_before IS NOT NULL`,
    'UPDATE marketing_holds SET until = until + @by',
    'UPDATE replies SET expires_at = expires_at + @by',
    'UPDATE files SET created_at = created_at + @by, expires_at = expires_at + @by',
    'UPDATE early_statuses SET received_at = received_at + @by',
    'UPDATE meta_inbox SET received_at = received_at + @by',
  ].map((sql) => db.prepare<[{ by: number }]>(sql))
  // The cap of the day counts on: a clock that is set makes no new day.
  const moveDay = db.prepare('UPDATE sending_state SET day = ? WHERE day = ?')
  // Messages of days that are counted get other times as well.
  const countAgain = db.prepare('UPDATE tallied_days SET tallied_at = NULL')
  const stored = meta.read('clock_set')
  let lastSet: ClockSet | null = stored === undefined ? null : clockSet.parse(JSON.parse(stored))

  const moveAll = db.transaction((by: number, at: number) => {
    for (const move of moves) move.run({ by })
    countAgain.run()
    moveDay.run(localDay(at), localDay(at - by))
    meta.putNow('marked_at', String(at))
    if (Math.abs(by) > MINUTE) meta.putNow('clock_set', JSON.stringify({ at, by }))
  })

  return {
    shared: null,
    newest: async () => Math.max(newest.get()?.at ?? 0, Math.round(Number(meta.read('marked_at') ?? 0))),
    mark: (at) => write((tx) => meta.put(tx, 'marked_at', String(at))),
    async move(by, at, moved) {
      drain()
      try {
        moveAll.immediate(by, at)
      } catch (error) {
        throw asStorageError(error, db.name)
      }
      moved()
      if (Math.abs(by) > MINUTE) lastSet = { at, by }
      await reload()
    },
    lastSet: () => lastSet,
  }
}
