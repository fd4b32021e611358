import type { DeliveryRow, DeliveryStore } from '../deliveries.ts'
import { DELIVERY, FROM } from '../statements/deliveries.ts'
import type { Db, Write } from '../statements/engine.ts'
import { integerOrNull, selecting } from '../statements/sql.ts'

/** A node that is gone in the middle of a call keeps it so long; a receiver has 15 s to answer. */
const CLAIMED_FOR = 60_000

const FREE = '(claimed_until IS NULL OR claimed_until <= @at OR claimed_by = @node)'

/** Deliveries that fall due are claimed by one node. Those of one message still wait for each other (see deliveries.ts). */
export function createClaims(db: Db, write: Write, node: string): Pick<DeliveryStore, 'due' | 'nextAfter'> {
  const claim = db.prepare<[{ endpointId: number; at: number; until: number; limit: number; node: string }]>(
    `UPDATE webhook_deliveries SET claimed_by = @node, claimed_until = @until WHERE id IN (
       SELECT id FROM webhook_deliveries WHERE endpoint_id = @endpointId AND state = 'pending' AND next_at <= @at AND ${FREE}
       ORDER BY next_at, id LIMIT @limit FOR UPDATE SKIP LOCKED)`,
  )
  const claimed = selecting(
    db,
    DELIVERY,
  )<[{ endpointId: number; at: number; limit: number; node: string }]>(
    `${FROM} WHERE d.endpoint_id = @endpointId AND d.state = 'pending' AND d.next_at <= @at AND d.claimed_by = @node
       AND d.claimed_until > @at ORDER BY d.next_at, d.id LIMIT @limit`,
  )
  // What another node has claimed is looked at again when its claim ends.
  const nextAfter = selecting<{ at: number | null }>(db, {
    at: integerOrNull('min(CASE WHEN claimed_by = @node THEN next_at ELSE greatest(next_at, claimed_until) END)'),
  })<[{ endpointId: number; at: number; node: string }]>(
    `FROM webhook_deliveries WHERE endpoint_id = @endpointId AND state = 'pending' AND next_at IS NOT NULL
       AND CASE WHEN claimed_by = @node THEN next_at ELSE greatest(next_at, claimed_until) END > @at`,
  )
  return {
    due: (endpointId, at, limit) =>
      write((): DeliveryRow[] => {
        claim.run({ endpointId, at, until: at + CLAIMED_FOR, limit, node })
        return claimed.all({ endpointId, at, limit, node })
      }),
    nextAfter: async (endpointId, at) => nextAfter.get({ endpointId, at, node })?.at ?? null,
  }
}
