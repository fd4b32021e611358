import { integer } from '../columns.ts'
import type { MarketingHoldStore } from '../marketing-holds.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface MarketingHoldStatements extends MarketingHoldStore {
  put(tx: Tx, senderId: number, recipient: string, until: number): void
}

export function createMarketingHolds(db: Db, write: Write): MarketingHoldStatements {
  const holds = selecting<{ until: number }>(db, { until: integer('until') })
  const until = holds<[number, string, number]>(
    'FROM marketing_holds WHERE sender_id = ? AND recipient = ? AND until > ?',
  )
  const put = db.prepare(
    `INSERT INTO marketing_holds (sender_id, recipient, until) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
  )
  const expire = db.prepare('DELETE FROM marketing_holds WHERE until <= ?')
  return {
    until: async (senderId, recipient, now) => until.get(senderId, recipient, now)?.until ?? null,
    put: (_tx, senderId, recipient, at) => void put.run(senderId, recipient, at),
    expire: (now) => write(() => void expire.run(now)),
  }
}
