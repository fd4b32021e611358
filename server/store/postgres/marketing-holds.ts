import { integer } from '../columns.ts'
import type { MarketingHoldStore } from '../marketing-holds.ts'
import type { Context, Tx } from './sql.ts'

export const holdMarketing = (tx: Tx, senderId: number, recipient: string, until: number): Promise<number> =>
  tx.run(
    `INSERT INTO marketing_holds (sender_id, recipient, until) VALUES ($1, $2, $3)
     ON CONFLICT (sender_id, recipient) DO UPDATE SET until = greatest(marketing_holds.until, excluded.until)`,
    [senderId, recipient, until],
  )

export function createMarketingHolds({ db, write }: Context): MarketingHoldStore {
  return {
    async until(senderId, recipient, now) {
      const from = 'FROM marketing_holds WHERE sender_id = $1 AND recipient = $2 AND until > $3'
      return (await db.one({ until: integer('until') }, from, [senderId, recipient, now]))?.until ?? null
    },
    async expire(now) {
      await write((tx) => tx.run('DELETE FROM marketing_holds WHERE until <= $1', [now]))
    },
  }
}
