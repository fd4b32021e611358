import { integer, integerOrNull } from '../columns.ts'
import { settleReply } from '../events.ts'
import { bound } from '../statements.ts'
import {
  DELIVERY,
  type DeliveryAttempt,
  type DeliveryStore,
  ENDPOINT,
  type EndpointStore,
  FROM_DELIVERIES,
  insertEndpoint,
  type KeptEndpoints,
  updateEndpoint,
} from '../webhooks.ts'
import { type Context, selecting } from './sql.ts'

export function changingEndpoints({ db, write, run }: Context, { reload, added }: KeptEndpoints) {
  const byId = selecting(db, ENDPOINT)<[number]>('FROM webhook_endpoints WHERE id = ?')
  return {
    async add(endpoint, seal) {
      const id = await write(() => {
        const own = run.insert(insertEndpoint(endpoint))
        run(bound('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', own, seal(own)))
        return own
      })
      return added(id)
    },
    async change(id, decide) {
      const changed = await write(() => {
        const before = byId.get(id)
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        run(updateEndpoint(after))
        return after
      })
      await reload()
      return changed
    },
  } satisfies Partial<EndpointStore>
}

export function createDeliverySteps({ db, write, run }: Context) {
  const deliveries = selecting(db, DELIVERY)
  const due = deliveries<[number, number, number]>(
    `${FROM_DELIVERIES} WHERE d.endpoint_id = ? AND d.state = 'pending' AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?`,
  )
  const times = selecting(db, { at: integerOrNull('min(next_at)') })
  const nextAfter = times<[number, number]>(
    `FROM webhook_deliveries WHERE endpoint_id = ? AND state = 'pending' AND next_at > ?`,
  )
  const finish = db.prepare(
    `UPDATE webhook_deliveries SET state = @state, next_at = @nextAt, tries = tries + 1
     WHERE id = @id AND state = 'pending' AND (tries = @tries OR @state = 'delivered')`,
  )
  const release = db.prepare(
    `UPDATE webhook_deliveries SET next_at = @at WHERE next_at IS NULL AND id = (
       SELECT min(n.id) FROM webhook_deliveries n JOIN webhook_deliveries d ON d.id = @id
       WHERE n.message_seq = d.message_seq AND n.endpoint_id = d.endpoint_id AND n.state = 'pending')`,
  )
  // Adds nothing if the endpoint was deleted while the delivery was on its way.
  const addAttempt = db.prepare<[DeliveryAttempt & { id: number }]>(
    `INSERT INTO webhook_attempts (delivery_id, at, status, error, error_code, body, took_ms)
     SELECT id, @at, @status, @error, @errorCode, @body, @tookMs FROM webhook_deliveries WHERE id = @id`,
  )
  // A delivery behind an earlier event of the same message has to wait its turn again.
  const revive = db.prepare(
    `UPDATE webhook_deliveries AS d SET state = 'pending', tries = 0, next_at = iif(EXISTS (
       SELECT 1 FROM webhook_deliveries e WHERE e.message_seq = d.message_seq AND e.endpoint_id = d.endpoint_id
         AND e.state = 'pending' AND e.id < d.id), NULL, ?)
     WHERE id = ? AND (state <> 'pending' OR next_at IS NOT NULL)`,
  )
  const abandoned = selecting(db, { id: integer('d.id') })<[number, number]>(
    `FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
     WHERE d.state = 'pending' AND d.created_at < ? AND e.enabled = 0 AND e.disabled_reason IS NOT NULL LIMIT ?`,
  )
  const giveUp = db.prepare("UPDATE webhook_deliveries SET state = 'dead', next_at = NULL WHERE id = ?")
  const dead = selecting(db, {
    id: integer('id'),
    endpointId: integer('endpoint_id'),
  })<[{ endpointId: number | null; after: number; limit: number }]>(
    `FROM webhook_deliveries WHERE state = 'dead' AND id > @after
       AND (@endpointId IS NULL OR endpoint_id = @endpointId)
       AND endpoint_id IN (SELECT id FROM webhook_endpoints WHERE enabled = 1)
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.seq = event_seq AND e.type = 'message.received'
         AND e.seq NOT IN (SELECT event_seq FROM replies)) ORDER BY id LIMIT @limit`,
  )
  const noteDelivered = db.prepare(
    `UPDATE webhook_endpoints SET last_delivered_at = ?
     WHERE id = (SELECT endpoint_id FROM webhook_deliveries WHERE id = ?)`,
  )

  return {
    due: async (endpointId, at, limit) => due.all(endpointId, at, limit),
    nextAfter: async (endpointId, at) => nextAfter.get(endpointId, at)?.at ?? null,
    record: ({ id, tries, event, eventSeq }, attempt, step) =>
      write(() => {
        addAttempt.run({ ...attempt, id })
        const nextAt = step.state === 'pending' ? step.nextAt : null
        const { changes } = finish.run({ id, tries, state: step.state, nextAt })
        if (step.state === 'delivered') noteDelivered.run(attempt.at, id)
        if (step.state === 'pending' || changes === 0) return
        release.run({ id, at: attempt.at + attempt.tookMs })
        if (event === 'message.received') run(settleReply(eventSeq))
      }),
    replay: (id, at) => write(() => revive.run(at, id).changes > 0),
    abandon: (ms, limit) =>
      write(() => {
        const rows = abandoned.all(ms, limit)
        for (const { id } of rows) {
          giveUp.run(id)
          // Later events of the message are tried when the endpoint is on again.
          release.run({ id, at: ms })
        }
        return rows.length
      }),
    replayDead: (endpointId, after, at, limit) =>
      write(() => {
        const rows = dead.all({ endpointId, after, limit })
        for (const { id } of rows) revive.run(at, id)
        return rows
      }),
  } satisfies Partial<DeliveryStore>
}
