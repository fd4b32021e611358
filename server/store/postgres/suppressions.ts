import {
  announcementOf,
  isKnownSuppression,
  SUPPRESSION,
  type Suppression,
  type SuppressionStore,
  scopeFor,
} from '../suppressions.ts'
import type { Events } from './events.ts'
import type { Context, Tx } from './sql.ts'

const ONE = 'FROM suppressions WHERE phone = $1 AND sender_id = $2 FOR NO KEY UPDATE'

export function createSuppressions({ db, write, now }: Context, events: Pick<Events, 'insert'>): SuppressionStore {
  async function announce(
    tx: Tx,
    type: 'contact.opted_out' | 'contact.opted_in',
    of: Suppression,
    senderCode: string | null,
  ) {
    const deliveries = await events.insert(tx, announcementOf(type, of, senderCode, now()))
    return { endpoints: deliveries.map(({ endpointId }) => endpointId) }
  }

  return {
    async scopeOf(senderId, phone) {
      const from = 'FROM suppressions WHERE phone = $1 AND sender_id IN (0, $2)'
      return scopeFor(await db.rows(SUPPRESSION, from, [phone, senderId]), senderId)
    },
    list: ({ phone = null, senderId = null, before = null, limit }) =>
      db.rows(
        SUPPRESSION,
        `FROM suppressions WHERE ($1::text IS NULL OR phone = $1) AND ($2::bigint IS NULL OR sender_id IN (0, $2))
           AND ($3::bigint IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
        [phone, senderId, before, limit],
      ),
    put: (suppression, senderCode, mayNarrow = false) =>
      write(async (tx) => {
        const { phone, scope, source, at } = suppression
        const senderId = suppression.senderId ?? 0
        if (isKnownSuppression(await tx.one(SUPPRESSION, ONE, [phone, senderId]), scope, mayNarrow)) return undefined
        void tx.run(
          `INSERT INTO suppressions (sender_id, phone, scope, source, at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (phone, sender_id) DO UPDATE SET scope = excluded.scope, source = excluded.source, at = excluded.at`,
          [senderId, phone, scope, source, at],
        )
        return announce(tx, 'contact.opted_out', suppression, senderCode)
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write(async (tx) => {
        const known = await tx.one(SUPPRESSION, ONE, [phone, senderId ?? 0])
        if (known === undefined) return undefined
        void tx.run('DELETE FROM suppressions WHERE id = $1', [known.id])
        return announce(tx, 'contact.opted_in', { ...known, ...by }, senderCode)
      }),
  }
}
