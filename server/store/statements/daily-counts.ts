import type { DailyCount, DailyCountStore } from '../daily-counts.ts'
import type { Db } from './engine.ts'
import { type Columns, integer, selecting, text } from './sql.ts'

const COUNT: Columns<DailyCount> = { day: text('day'), status: text('status'), count: integer('count') }

export function createDailyCounts(db: Db): DailyCountStore {
  const since = selecting(db, COUNT)<[string]>('FROM daily_counts WHERE day >= ? ORDER BY day')
  return { since: async (day) => since.all(day) }
}
