import type { Status } from '../../contract/messages.ts'
import { localDay } from '../../lib/local-time.ts'
import type { DailyCount, DailyCountStore } from '../daily-counts.ts'
import type { Message } from '../messages.ts'
import type { Db, Engine } from './engine.ts'
import { type Columns, integer, selecting, text } from './sql.ts'

// A status may be taken back by another node than the one that counted it: the sum of all counts.
const COUNT: Columns<DailyCount> = {
  day: text('day'),
  status: text('status'),
  count: integer('max(0, sum(count))'),
}
// What reached one of them has reached those before it, whether it was reported or not.
const ARRIVING: readonly Status[] = ['sent', 'delivered', 'read']
const COUNTED: readonly Status[] = [...ARRIVING, 'failed']

const countedFor = (status: Status): readonly Status[] =>
  status === 'failed' ? ['failed'] : ARRIVING.slice(0, ARRIVING.indexOf(status) + 1)

export interface DailyCountStatements extends DailyCountStore {
  /** In the transaction of a change. */
  noteChange(before: Message, after: Message): void
}

interface DailyCountsDeps extends Pick<Engine, 'node'> {
  /** Its messages count nowhere. */
  isSandbox: (senderId: number) => boolean
}

export function createDailyCounts(db: Db, { node, isSandbox }: DailyCountsDeps): DailyCountStatements {
  const since = selecting(
    db,
    COUNT,
  )<[string]>('FROM daily_counts WHERE day >= ? GROUP BY day, status ORDER BY day, status')
  const add = db.prepare(
    `INSERT INTO daily_counts (day, status, node, count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  )
  return {
    since: async (day) => since.all(day),
    noteChange(before, after) {
      if (after.status === before.status || isSandbox(after.senderId)) return
      const was = countedFor(before.status)
      const is = countedFor(after.status)
      // Always in this order: no two changes wait for each other's rows.
      for (const status of COUNTED) {
        const by = Number(is.includes(status)) - Number(was.includes(status))
        if (by !== 0) add.run(localDay((by > 0 ? after : before).occurredAt), status, node, by)
      }
    },
  }
}
