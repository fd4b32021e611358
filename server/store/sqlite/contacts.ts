import type { SuppressionScope } from '../../contract/suppressions.ts'
import {
  announcementOf,
  isKnownSuppression,
  putSuppression,
  removeSuppression,
  SUPPRESSION,
  type SuppressionStore,
} from '../contacts.ts'
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
  /**
   * Two index lookups, because this is asked for each message, mostly in vain, and they cost a
   * tenth of an ordered list.
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
        return events.announce(tx, announcementOf('contact.opted_out', suppression, senderCode, now()))
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write((tx) => {
        const known = one.get(phone, senderId ?? 0)
        if (known === undefined) return undefined
        run(removeSuppression(known.id))
        return events.announce(tx, announcementOf('contact.opted_in', { ...known, ...by }, senderCode, now()))
      }),
  }
}
