import { integer } from './columns.ts'
import { type Bound, bound, type Statements } from './statements.ts'

/** People to whom Meta takes no marketing message for a time (its code 131049). */
export interface MarketingHoldStore {
  /**
   * Until when, milliseconds since 1970; `null`: Meta said nothing of this person, or its time is
   * over.
   */
  until(senderId: number, recipient: string, now: number): Promise<number | null>
  /** Removes those whose time is over. */
  expire(now: number): Promise<void>
}

/** Meta takes no marketing message until then; a shorter time changes nothing. */
export const holdMarketing = (senderId: number, recipient: string, until: number): Bound =>
  bound(
    `INSERT INTO marketing_holds (sender_id, recipient, until) VALUES ($1, $2, $3)
     ON CONFLICT (sender_id, recipient) DO UPDATE SET until = excluded.until WHERE marketing_holds.until < excluded.until`,
    ...[senderId, recipient, until],
  )

export function createMarketingHolds({ one, bind, write }: Statements): MarketingHoldStore {
  const find = one(
    { until: integer('until') },
    'FROM marketing_holds WHERE sender_id = $1 AND recipient = $2 AND until > $3',
  )
  const expire = bind('DELETE FROM marketing_holds WHERE until <= $1')
  return {
    until: async (senderId, recipient, now) => (await find(senderId, recipient, now))?.until ?? null,
    async expire(now) {
      await write(expire(now))
    },
  }
}
