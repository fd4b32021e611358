import { integer, integerOrNull } from '../columns.ts'
import { settleReply } from '../events.ts'
import {
  DELIVERY,
  type DeliveryFilter,
  type DeliveryStore,
  deliveryList,
  ENDPOINT,
  type EndpointStore,
  FROM_DELIVERIES,
  insertEndpoint,
  type KeptEndpoints,
  updateEndpoint,
} from '../webhooks.ts'
import { GONE_SINCE } from './leases.ts'
import { type Context, insertRow, runBound, type Tx } from './sql.ts'

export function changingEndpoints({ write }: Context, { reload, added }: KeptEndpoints) {
  return {
    async add(endpoint, seal) {
      const id = await write(async (tx) => {
        tx.changed('webhook_endpoints')
        const own = await insertRow(tx, insertEndpoint(endpoint))
        void tx.run('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', [own, seal(own)])
        return own
      })
      return added(id)
    },
    async change(id, decide) {
      const changed = await write(async (tx) => {
        const before = await tx.one(ENDPOINT, 'FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE', [id])
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        tx.changed('webhook_endpoints')
        void runBound(tx, updateEndpoint(after))
        return after
      })
      await reload()
      return changed
    },
  } satisfies Partial<EndpointStore>
}

const CLAIMED_FOR = 60_000
/**
 * Milliseconds that a claimed call may still run, even if its node is gone: a receiver has 15 s to
 * answer.
 */
const ON_ITS_WAY = 20_000
/** An older claim is checked this often, because its node may be gone. */
const LOOKED_EVERY = 5_000
/** Time that is left of a claim when its call is over. */
const REST = CLAIMED_FOR - ON_ITS_WAY

// `$1` is the endpoint, `$2` the time, `$3` this node.
const FREE = `(claimed_until IS NULL OR claimed_until <= $2 OR claimed_by = $3 OR (claimed_until <= $2 + ${REST}
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.name = claimed_by AND n.seen_at > ${GONE_SINCE})))`
/** When a delivery can be claimed, or is checked again. */
const NEXT = `CASE WHEN claimed_by = $3 OR claimed_until IS NULL THEN next_at
  WHEN claimed_until - ${REST} > $2 THEN greatest(next_at, claimed_until - ${REST})
  ELSE greatest(next_at, least(claimed_until, $2 + ${LOOKED_EVERY})) END`

/**
 * Locks the message first, as every change of the message does, so that one transaction at a time
 * decides on the next event in order.
 */
const holdMessage = (tx: Tx, id: number): Promise<number> =>
  tx.run(
    `SELECT 1 FROM messages WHERE seq = (SELECT message_seq FROM webhook_deliveries WHERE id = $1)
     FOR NO KEY UPDATE`,
    [id],
  )

/** Makes the next events due after finished deliveries. */
const release = (tx: Tx, ids: readonly number[], at: number): Promise<number> =>
  tx.run(
    `UPDATE webhook_deliveries SET next_at = $2 WHERE next_at IS NULL AND id IN (
       SELECT min(n.id) FROM webhook_deliveries n JOIN webhook_deliveries d
         ON n.message_seq = d.message_seq AND n.endpoint_id = d.endpoint_id
       WHERE d.id = ANY ($1::bigint[]) AND n.state = 'pending' GROUP BY n.message_seq, n.endpoint_id)`,
    [ids, at],
  )

/**
 * Begins deliveries again. A delivery behind an earlier event of the same message waits its turn.
 */
const revive = (tx: Tx, ids: readonly number[], at: number): Promise<number> =>
  tx.run(
    `UPDATE webhook_deliveries AS d SET state = 'pending', tries = 0, next_at = CASE WHEN EXISTS (
       SELECT 1 FROM webhook_deliveries e WHERE e.message_seq = d.message_seq AND e.endpoint_id = d.endpoint_id
         AND e.id < d.id AND (e.state = 'pending' OR e.id = ANY ($1::bigint[]))) THEN NULL ELSE $2::bigint END
     WHERE id = ANY ($1::bigint[]) AND (state <> 'pending' OR next_at IS NOT NULL)`,
    [ids, at],
  )

/** Creates the steps of deliveries. One node claims a due delivery. */
export function createDeliverySteps({ db, write, node }: Context) {
  return {
    due: (endpointId, at, limit) =>
      write((tx) => {
        void tx.run(
          `UPDATE webhook_deliveries SET claimed_by = $3, claimed_until = $4 WHERE id IN (
             SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'pending' AND next_at <= $2 AND ${FREE}
             ORDER BY next_at, id LIMIT $5 FOR UPDATE SKIP LOCKED)`,
          [endpointId, at, node, at + CLAIMED_FOR, limit],
        )
        return tx.rows(
          DELIVERY,
          `${FROM_DELIVERIES} WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.next_at <= $2 AND d.claimed_by = $3
             AND d.claimed_until > $2 ORDER BY d.next_at, d.id LIMIT $4`,
          [endpointId, at, node, limit],
        )
      }),
    async nextAfter(endpointId, at) {
      const row = await db.one(
        { at: integerOrNull(`min(${NEXT})`) },
        `FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'pending' AND next_at IS NOT NULL AND ${NEXT} > $2`,
        [endpointId, at, node],
      )
      return row?.at ?? null
    },
    record: ({ id, tries, event, eventSeq }, attempt, step) =>
      write(async (tx) => {
        void holdMessage(tx, id)
        // Adds nothing if the endpoint was deleted while the delivery was on its way.
        void tx.run(
          `INSERT INTO webhook_attempts (delivery_id, at, status, error, error_code, body, took_ms)
           SELECT id, $2, $3, $4, $5, $6, $7 FROM webhook_deliveries WHERE id = $1`,
          [id, attempt.at, attempt.status, attempt.error, attempt.errorCode, attempt.body, attempt.tookMs],
        )
        const finished = tx.run(
          `UPDATE webhook_deliveries SET state = $3, next_at = $4, tries = tries + 1
           WHERE id = $1 AND state = 'pending' AND (tries = $2 OR $3 = 'delivered')`,
          [id, tries, step.state, step.state === 'pending' ? step.nextAt : null],
        )
        // Not announced as a change of the endpoint, because its state in memory stays the same.
        if (step.state === 'delivered')
          void tx.run(
            `UPDATE webhook_endpoints SET last_delivered_at = $2
             WHERE id = (SELECT endpoint_id FROM webhook_deliveries WHERE id = $1)`,
            [id, attempt.at],
          )
        if (step.state === 'pending' || (await finished) === 0) return
        void release(tx, [id], attempt.at + attempt.tookMs)
        if (event === 'message.received') void runBound(tx, settleReply(eventSeq))
      }),
    replay: (id, at) =>
      write(async (tx) => {
        void holdMessage(tx, id)
        return (await revive(tx, [id], at)) > 0
      }),
    abandon: (ms, limit) =>
      write(async (tx) => {
        const rows = await tx.rows(
          { id: integer('d.id') },
          `FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
           WHERE d.state = 'pending' AND d.created_at < $1 AND e.enabled = 0 AND e.disabled_reason IS NOT NULL
           LIMIT $2 FOR NO KEY UPDATE OF d`,
          [ms, limit],
        )
        const ids = rows.map(({ id }) => id)
        void tx.run(`UPDATE webhook_deliveries SET state = 'dead', next_at = NULL WHERE id = ANY ($1::bigint[])`, [ids])
        // Later events of the messages are tried when the endpoint is on again.
        void release(tx, ids, ms)
        return ids.length
      }),
    replayDead: (endpointId, after, at, limit) =>
      write(async (tx) => {
        const rows = await tx.rows(
          { id: integer('id'), endpointId: integer('endpoint_id') },
          `FROM webhook_deliveries d WHERE state = 'dead' AND id > $2 AND ($1::bigint IS NULL OR endpoint_id = $1)
             AND endpoint_id IN (SELECT id FROM webhook_endpoints WHERE enabled = 1)
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.seq = d.event_seq AND e.type = 'message.received'
               AND e.seq NOT IN (SELECT event_seq FROM replies)) ORDER BY id LIMIT $3 FOR NO KEY UPDATE OF d`,
          [endpointId, after, limit],
        )
        const ids = rows.map(({ id }) => id)
        void revive(tx, ids, at)
        return rows
      }),
    list: (filter: DeliveryFilter) => db.rows(DELIVERY, ...deliveryList(filter)),
  } satisfies Partial<DeliveryStore>
}
