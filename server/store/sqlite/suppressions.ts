import type { SuppressionScope } from '../../contract/suppressions.ts'
import { text } from '../columns.ts'
import {
  announcementOf,
  isKnownSuppression,
  SUPPRESSION,
  type Suppression,
  type SuppressionStore,
} from '../suppressions.ts'
import type { Db } from './database.ts'
import type { EventStatements } from './events.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface SuppressionStatements extends Omit<SuppressionStore, 'list'> {
  scopeFor(tx: Tx, senderId: number, phone: string): SuppressionScope | null
}

export function createSuppressions(
  db: Db,
  write: Write,
  events: EventStatements,
  now: () => number,
): SuppressionStatements {
  const suppressions = selecting(db, SUPPRESSION)
  const one = suppressions<[string, number]>('FROM suppressions WHERE phone = ? AND sender_id = ?')
  const scopes = selecting<{ scope: SuppressionScope }>(db, { scope: text('scope') })<[string, number]>(
    'FROM suppressions WHERE phone = ? AND sender_id = ?',
  )
  const put = db.prepare(
    `INSERT INTO suppressions (sender_id, phone, scope, source, at) VALUES (@senderId, @phone, @scope, @source, @at)
     ON CONFLICT (phone, sender_id) DO UPDATE SET scope = excluded.scope, source = excluded.source, at = excluded.at`,
  )
  const remove = db.prepare('DELETE FROM suppressions WHERE id = ?')

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
        const senderId = suppression.senderId ?? 0
        const known = one.get(suppression.phone, senderId)
        if (isKnownSuppression(known, suppression.scope, mayNarrow)) return undefined
        put.run({ ...suppression, senderId })
        return announce(tx, 'contact.opted_out', suppression, senderCode)
      }),
    remove: ({ phone, senderId }, by, senderCode) =>
      write((tx) => {
        const known = one.get(phone, senderId ?? 0)
        if (known === undefined) return undefined
        remove.run(known.id)
        return announce(tx, 'contact.opted_in', { ...known, ...by }, senderCode)
      }),
  }
}

export function createSuppressionList(db: Db): Pick<SuppressionStore, 'list'> {
  const list = selecting(
    db,
    SUPPRESSION,
  )<[{ phone: string | null; senderId: number | null; before: number | null; limit: number }]>(
    `FROM suppressions WHERE (@phone IS NULL OR phone = @phone) AND (@senderId IS NULL OR sender_id IN (0, @senderId))
       AND (@before IS NULL OR id < @before) ORDER BY id DESC LIMIT @limit`,
  )
  return {
    list: async ({ phone = null, senderId = null, before = null, limit }) =>
      list.all({ phone, senderId, before, limit }),
  }
}
