import type { SuppressionScope } from '../../contract/suppressions.ts'
import {
  announcementOf,
  isKnownSuppression,
  putSuppression,
  removeSuppression,
  SUPPRESSION,
  type Suppression,
  type SuppressionStore,
} from '../suppressions.ts'
import type { Events } from './events.ts'
import type { Tx } from './group-commit.ts'
import { type Context, selecting } from './sql.ts'

export interface SuppressionStatements extends Omit<SuppressionStore, 'list'> {
  scopeFor(tx: Tx, senderId: number, phone: string): SuppressionScope | null
}

export function createSuppressions({ db, write, run, now }: Context, events: Events): SuppressionStatements {
  const suppressions = selecting(db, SUPPRESSION)
  const one = suppressions<[string, number]>('FROM suppressions WHERE phone = ? AND sender_id = ?')
  const scopes = selecting(db, { scope: SUPPRESSION.scope })<[string, number]>(
    'FROM suppressions WHERE phone = ? AND sender_id = ?',
  )
  function announce(
    tx: Tx,
    type: 'contact.opted_out' | 'contact.opted_in',
    of: Suppression,
    senderCode: string | null,
  ) {
    const deliveries = events.insert(tx, announcementOf(type, of, senderCode, now()))
    return { endpoints: deliveries.map(({ endpointId }) => endpointId) }
  }

  /**
   * Asked for each message, most often in vain: two looks at the index cost a tenth of an ordered
   * list.
   */
  function scopeOf(senderId: number, phone: string): SuppressionScope | null {
    const ofAll = scopes.get(phone, 0)?.scope ?? null
    return ofAll === 'all' ? ofAll : (scopes.get(phone, senderId)?.scope ?? ofAll)
  }

  return {
    scopeFor: (_tx, senderId, phone) => scopeOf(senderId, phone),
    scopeOf: async (senderId, phone) => scopeOf(senderId, phone),
    put: (suppression, senderCode, mayNarrow = false) =>
      write((tx) => {
        const known = one.get(suppression.phone, suppression.senderId ?? 0)
        if (isKnownSuppression(known?.scope, suppression.scope, mayNarrow)) return undefined
        run(putSuppression(suppression))
        return announce(tx, 'contact.opted_out', suppression, senderCode)
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write((tx) => {
        const known = one.get(phone, senderId ?? 0)
        if (known === undefined) return undefined
        run(removeSuppression(known.id))
        return announce(tx, 'contact.opted_in', { ...known, ...by }, senderCode)
      }),
  }
}
