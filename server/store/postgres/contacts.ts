import {
  announcementOf,
  isKnownSuppression,
  putSuppression,
  removeSuppression,
  SUPPRESSION,
  type SuppressionStore,
  scopeFor,
} from '../contacts.ts'
import type { Events } from './events.ts'
import { type Context, runBound } from './sql.ts'

const ONE = 'FROM suppressions WHERE phone = $1 AND sender_id = $2 FOR NO KEY UPDATE'

export function createSuppressions({ db, write, now }: Context, events: Events) {
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
        return events.announce(tx, announcementOf('contact.opted_out', suppression, senderCode, now()))
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write(async (tx) => {
        const known = await tx.one(SUPPRESSION, ONE, [phone, senderId ?? 0])
        if (known === undefined) return undefined
        void runBound(tx, removeSuppression(known.id))
        return events.announce(tx, announcementOf('contact.opted_in', { ...known, ...by }, senderCode, now()))
      }),
  } satisfies Partial<SuppressionStore>
}
