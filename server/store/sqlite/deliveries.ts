import { integer, integerOrNull } from '../columns.ts'
import {
  DELIVERY,
  DELIVERY_ATTEMPT,
  DELIVERY_COUNT,
  type DeliveryAttempt,
  type DeliveryFilter,
  type DeliveryRow,
  type DeliveryStore,
  FROM_DELIVERIES,
} from '../deliveries.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

/** @param settled is called, in its transaction, when a delivery has ended */
export function createDeliveries(
  db: Db,
  write: Write,
  settled: (tx: Tx, deliveryId: number) => void,
): Omit<DeliveryStore, 'list'> {
  const deliveries = selecting(db, DELIVERY)
  const due = deliveries<[number, number, number]>(
    `${FROM_DELIVERIES} WHERE d.endpoint_id = ? AND d.state = 'pending' AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?`,
  )
  const times = selecting<{ at: number | null }>(db, { at: integerOrNull('min(next_at)') })
  const nextAfter = times<[number, number]>(
    `FROM webhook_deliveries WHERE endpoint_id = ? AND state = 'pending' AND next_at > ?`,
  )
  const byId = deliveries<[number]>(`${FROM_DELIVERIES} WHERE d.id = ?`)
  const finish = db.prepare(
    `UPDATE webhook_deliveries SET state = @state, next_at = @nextAt, tries = tries + 1
     WHERE id = @id AND state = 'pending' AND (tries = @tries OR @state = 'delivered')`,
  )
  const release = db.prepare(
    `UPDATE webhook_deliveries SET next_at = @at WHERE next_at IS NULL AND id = (
       SELECT min(n.id) FROM webhook_deliveries n JOIN webhook_deliveries d ON d.id = @id
       WHERE n.message_seq = d.message_seq AND n.endpoint_id = d.endpoint_id AND n.state = 'pending')`,
  )
  // Nothing is kept of a delivery whose endpoint was deleted while it was on its way.
  const addAttempt = db.prepare<[DeliveryAttempt & { id: number }]>(
    `INSERT INTO webhook_attempts (delivery_id, at, status, error, error_code, body, took_ms)
     SELECT id, @at, @status, @error, @errorCode, @body, @tookMs FROM webhook_deliveries WHERE id = @id`,
  )
  const attempts = selecting(db, DELIVERY_ATTEMPT)<[number]>('FROM webhook_attempts WHERE delivery_id = ? ORDER BY id')
  const ofMessage = deliveries<[number]>(`${FROM_DELIVERIES} WHERE d.message_seq = ? ORDER BY d.id`)
  // Behind an earlier event of the same message it has to wait its turn again.
  const revive = db.prepare(
    `UPDATE webhook_deliveries AS d SET state = 'pending', tries = 0, next_at = iif(EXISTS (
       SELECT 1 FROM webhook_deliveries e WHERE e.message_seq = d.message_seq AND e.endpoint_id = d.endpoint_id
         AND e.state = 'pending' AND e.id < d.id), NULL, ?)
     WHERE id = ? AND (state <> 'pending' OR next_at IS NOT NULL)`,
  )
  const hasten = db.prepare(
    `UPDATE webhook_deliveries SET next_at = @at WHERE id IN (
       SELECT id FROM webhook_deliveries WHERE endpoint_id = @endpointId AND state = 'pending' AND next_at > @at LIMIT @limit)`,
  )
  const abandoned = selecting<{ id: number }>(db, { id: integer('d.id') })<[number, number]>(
    `FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
     WHERE d.state = 'pending' AND d.created_at < ? AND e.enabled = 0 AND e.disabled_reason IS NOT NULL LIMIT ?`,
  )
  const giveUp = db.prepare("UPDATE webhook_deliveries SET state = 'dead', next_at = NULL WHERE id = ?")
  const dead = selecting<{ id: number; endpointId: number }>(db, {
    id: integer('id'),
    endpointId: integer('endpoint_id'),
  })<[{ endpointId: number | null }]>(
    `FROM webhook_deliveries WHERE state = 'dead' AND (@endpointId IS NULL OR endpoint_id = @endpointId)
       AND endpoint_id IN (SELECT id FROM webhook_endpoints WHERE enabled = 1)
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.seq = event_seq AND e.type = 'message.received'
         AND e.seq NOT IN (SELECT event_seq FROM replies)) ORDER BY id`,
  )
  const discard = db.prepare(
    `DELETE FROM webhook_deliveries WHERE state = 'dead' AND (@endpointId IS NULL OR endpoint_id = @endpointId)`,
  )
  const counts = selecting(db, DELIVERY_COUNT)('FROM delivery_counts WHERE count > 0')
  const lastDelivered = selecting<{ at: number | null }>(db, { at: integerOrNull('last_delivered_at') })<[number]>(
    'FROM webhook_endpoints WHERE id = ?',
  )
  const noteDelivered = db.prepare(
    `UPDATE webhook_endpoints SET last_delivered_at = ?
     WHERE id = (SELECT endpoint_id FROM webhook_deliveries WHERE id = ?)`,
  )

  return {
    lastDelivered: async (endpointId) => lastDelivered.get(endpointId)?.at ?? null,
    due: async (endpointId, at, limit) => due.all(endpointId, at, limit),
    nextAfter: async (endpointId, at) => nextAfter.get(endpointId, at)?.at ?? null,
    get: async (id) => byId.get(id),
    attempts: async (id) => attempts.all(id),
    ofMessage: async (messageSeq) => ofMessage.all(messageSeq),
    counts: async () => counts.all(),
    record: ({ id, tries }, attempt, step) =>
      write((tx) => {
        addAttempt.run({ ...attempt, id })
        const nextAt = step.state === 'pending' ? step.nextAt : null
        const { changes } = finish.run({ id, tries, state: step.state, nextAt })
        if (step.state === 'delivered') noteDelivered.run(attempt.at, id)
        if (step.state === 'pending' || changes === 0) return
        release.run({ id, at: attempt.at + attempt.tookMs })
        settled(tx, id)
      }),
    replay: (id, at) => write(() => revive.run(at, id).changes > 0),
    hasten: (endpointId, at, limit) => write(() => hasten.run({ endpointId, at, limit }).changes),
    abandon: (ms, limit) =>
      write(() => {
        const rows = abandoned.all(ms, limit)
        for (const { id } of rows) {
          giveUp.run(id)
          // Later events of its message are tried again, once the endpoint is on.
          release.run({ id, at: ms })
        }
        return rows.length
      }),
    discardDead: (endpointId) => write(() => discard.run({ endpointId }).changes),
    replayDead: (endpointId, at) =>
      write(() => {
        const rows = dead.all({ endpointId })
        for (const { id } of rows) revive.run(at, id)
        return rows.map((row) => row.endpointId)
      }),
  }
}

/** Newest first. */
export function listDeliveries(db: Db, filter: DeliveryFilter): DeliveryRow[] {
  const conditions = {
    state: 'd.state = @state',
    endpointId: 'd.endpoint_id = @endpointId',
    messageId: 'd.message_seq = (SELECT seq FROM messages WHERE id = @messageId)',
    before: 'd.id < @before',
  }
  const where = Object.entries(conditions).flatMap(([name, sql]) =>
    filter[name as keyof typeof conditions] === undefined ? [] : [sql],
  )
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
  return selecting(
    db,
    DELIVERY,
  )<[DeliveryFilter]>(`${FROM_DELIVERIES} ${condition} ORDER BY d.id DESC LIMIT @limit`).all(filter)
}
