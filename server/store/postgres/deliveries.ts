import type { DeliveryRow, DeliveryStore } from '../deliveries.ts'
import { DELIVERY, FROM } from '../statements/deliveries.ts'
import type { Db, Write } from '../statements/engine.ts'
import { integerOrNull, selecting } from '../statements/sql.ts'
import { GONE_SINCE } from './leases.ts'

const CLAIMED_FOR = 60_000
/**
 * Time that the call of a claim may be on its way, even if its node is gone: a receiver has 15 s to
 * answer.
 */
const ON_ITS_WAY = 20_000
/** A claim that is older is looked at so often: its node may be gone. */
const LOOKED_EVERY = 5_000
/** Rest of a claim's time when its call is over. */
const REST = CLAIMED_FOR - ON_ITS_WAY

const FREE = `(claimed_until IS NULL OR claimed_until <= @at OR claimed_by = @node OR (claimed_until <= @at + ${REST}
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.name = claimed_by AND n.seen_at > ${GONE_SINCE})))`
/** When a delivery can be claimed, or is looked at again. */
const NEXT = `CASE WHEN claimed_by = @node OR claimed_until IS NULL THEN next_at
  WHEN claimed_until - ${REST} > @at THEN greatest(next_at, claimed_until - ${REST})
  ELSE greatest(next_at, least(claimed_until, @at + ${LOOKED_EVERY})) END`

/**
 * Deliveries that fall due are claimed by one node. Those of one message still wait for each other
 * (see deliveries.ts).
 */
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
  const nextAfter = selecting<{ at: number | null }>(db, {
    at: integerOrNull(`min(${NEXT})`),
  })<[{ endpointId: number; at: number; node: string }]>(
    `FROM webhook_deliveries WHERE endpoint_id = @endpointId AND state = 'pending' AND next_at IS NOT NULL AND ${NEXT} > @at`,
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
