import type { Status } from '../../contract/messages.ts'
import { localDay } from '../../lib/local-time.ts'
import type { DailyCount, DailyCountStore } from '../daily-counts.ts'
import type { Message } from '../messages.ts'
import type { Db } from './engine.ts'
import { type Columns, integer, selecting, text } from './sql.ts'

const COUNT: Columns<DailyCount> = { day: text('day'), status: text('status'), count: integer('count') }
// What reached one of them has reached those before it, whether it was reported or not.
const ARRIVING: readonly Status[] = ['sent', 'delivered', 'read']

const countedFor = (status: Status): readonly Status[] =>
  status === 'failed' ? ['failed'] : ARRIVING.slice(0, ARRIVING.indexOf(status) + 1)

export interface SqliteDailyCounts extends DailyCountStore {
  /** In the transaction of a change. */
  noteChange(before: Message, after: Message): void
}

/** @param isSandbox its messages count nowhere */
export function createDailyCounts(
  db: Db,
  { isSandbox }: { isSandbox: (senderId: number) => boolean },
): SqliteDailyCounts {
  const since = selecting(db, COUNT)<[string]>('FROM daily_counts WHERE day >= ? ORDER BY day')
  const add = db.prepare(
    'INSERT INTO daily_counts (day, status, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
  )
  const takeBack = db.prepare('UPDATE daily_counts SET count = count - 1 WHERE day = ? AND status = ? AND count > 0')
  return {
    since: async (day) => since.all(day),
    noteChange(before, after) {
      if (after.status === before.status || isSandbox(after.senderId)) return
      const was = countedFor(before.status)
      const is = countedFor(after.status)
      for (const status of is) if (!was.includes(status)) add.run(localDay(after.occurredAt), status)
      for (const status of was) if (!is.includes(status)) takeBack.run(localDay(before.occurredAt), status)
    },
  }
}
