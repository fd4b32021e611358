import {
  announcementOf,
  isKnownSuppression,
  putSuppression,
  removeSuppression,
  SUPPRESSION,
  type Suppression,
  type SuppressionStore,
  scopeFor,
} from '../suppressions.ts'
import type { Events } from './events.ts'
import { type Context, runBound, type Tx } from './sql.ts'

const ONE = 'FROM suppressions WHERE phone = $1 AND sender_id = $2 FOR NO KEY UPDATE'

export function createSuppressions({ db, write, now }: Context, events: Events) {
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
    put: (suppression, senderCode, mayNarrow = false) =>
      write(async (tx) => {
        const known = await tx.one(SUPPRESSION, ONE, [suppression.phone, suppression.senderId ?? 0])
        if (isKnownSuppression(known?.scope, suppression.scope, mayNarrow)) return undefined
        void runBound(tx, putSuppression(suppression))
        return announce(tx, 'contact.opted_out', suppression, senderCode)
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write(async (tx) => {
        const known = await tx.one(SUPPRESSION, ONE, [phone, senderId ?? 0])
        if (known === undefined) return undefined
        void runBound(tx, removeSuppression(known.id))
        return announce(tx, 'contact.opted_in', { ...known, ...by }, senderCode)
      }),
  } satisfies Partial<SuppressionStore>
}
