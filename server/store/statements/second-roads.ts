import type { SecondRoadStore } from '../second-roads.ts'
import type { Db, Tx } from './engine.ts'
import { integer, selecting } from './sql.ts'

export interface SecondRoadStatements extends SecondRoadStore {
  add(tx: Tx, senderId: number, month: string, by: 1 | -1): void
}

export function createSecondRoads(db: Db): SecondRoadStatements {
  const counts = selecting<{ count: number }>(db, { count: integer('count') })
  const count = counts<[number, string]>('FROM second_road_counts WHERE sender_id = ? AND month = ?')
  const add = db.prepare(
    `INSERT INTO second_road_counts (sender_id, month, count) VALUES (@senderId, @month, max(0, @by))
     ON CONFLICT DO UPDATE SET count = max(0, count + @by)`,
  )
  return {
    count: async (senderId, month) => count.get(senderId, month)?.count ?? 0,
    add: (_tx, senderId, month, by) => void add.run({ senderId, month, by }),
  }
}
