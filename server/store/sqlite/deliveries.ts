import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface DeliveryRow {
  id: number
  endpointId: number
  eventSeq: number
  event: string
  messageId: string | null
  state: 'pending' | 'delivered' | 'dead'
  tries: number
  nextAt: number | null
  createdAt: number
}

export interface DeliveryAttemptRow {
  at: number
  status: number | null
  error: string | null
  body: string | null
  tookMs: number
}

export type DeliveryFate = { state: 'delivered' | 'dead' } | { state: 'pending'; nextAt: number }

export interface DeliveryFilter {
  state?: DeliveryRow['state'] | undefined
  endpointId?: number | undefined
  messageId?: string | undefined
  before?: number | undefined
  limit: number
}

const COLUMNS = `d.id, d.endpoint_id AS endpointId, d.event_seq AS eventSeq, e.type AS event, m.id AS messageId, d.state, d.tries,
  d.next_at AS nextAt, d.created_at AS createdAt`
const FROM =
  'FROM webhook_deliveries d JOIN events e ON e.seq = d.event_seq LEFT JOIN messages m ON m.seq = d.message_seq'

export type Deliveries = ReturnType<typeof createDeliveries>

/** The outbox. Of the events of one message only the oldest unfinished one has a time (`next_at`): that keeps the order. */
export function createDeliveries(db: Db, write: Write) {
  const due = db.prepare<[number, number, number], DeliveryRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE d.endpoint_id = ? AND d.state = 'pending' AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?`,
  )
  const nextAfter = db.prepare<[number, number], { at: number | null }>(
    `SELECT min(next_at) AS at FROM webhook_deliveries WHERE endpoint_id = ? AND state = 'pending' AND next_at > ?`,
  )
  const get = db.prepare<[number], DeliveryRow>(`SELECT ${COLUMNS} ${FROM} WHERE d.id = ?`)
  const finish = db.prepare(
    `UPDATE webhook_deliveries SET state = ?, next_at = ?, tries = tries + 1 WHERE id = ? AND state = 'pending'`,
  )
  const release = db.prepare(
    `UPDATE webhook_deliveries SET next_at = @at WHERE next_at IS NULL AND id = (
       SELECT min(n.id) FROM webhook_deliveries n JOIN webhook_deliveries d ON d.id = @id
       WHERE n.message_seq = d.message_seq AND n.endpoint_id = d.endpoint_id AND n.state = 'pending')`,
  )
  // Nothing is kept of a delivery whose endpoint was deleted while it was on its way.
  const addAttempt = db.prepare(
    `INSERT INTO webhook_attempts (delivery_id, at, status, error, body, took_ms)
     SELECT id, ?, ?, ?, ?, ? FROM webhook_deliveries WHERE id = ?`,
  )
  const attempts = db.prepare<[number], DeliveryAttemptRow>(
    'SELECT at, status, error, body, took_ms AS tookMs FROM webhook_attempts WHERE delivery_id = ? ORDER BY id',
  )
  const ofMessage = db.prepare<[number], DeliveryRow>(`SELECT ${COLUMNS} ${FROM} WHERE d.message_seq = ? ORDER BY d.id`)
  // Behind an earlier event of the same message it has to wait its turn again.
  const revive = db.prepare(
    `UPDATE webhook_deliveries AS d SET state = 'pending', tries = 0, next_at = iif(EXISTS (
       SELECT 1 FROM webhook_deliveries e WHERE e.message_seq = d.message_seq AND e.endpoint_id = d.endpoint_id
         AND e.state = 'pending' AND e.id < d.id), NULL, ?)
     WHERE id = ? AND (state <> 'pending' OR next_at IS NOT NULL)`,
  )
  const dead = db.prepare<[{ endpointId: number | null }], { id: number }>(
    `SELECT id FROM webhook_deliveries WHERE state = 'dead' AND (@endpointId IS NULL OR endpoint_id = @endpointId)
       AND endpoint_id IN (SELECT id FROM webhook_endpoints WHERE enabled = 1) ORDER BY id`,
  )
  const counts = db.prepare<[], { endpointId: number; state: string; count: number }>(
    `SELECT endpoint_id AS endpointId, state, count(*) AS count FROM webhook_deliveries
     WHERE state IN ('pending', 'dead') GROUP BY endpoint_id, state`,
  )

  const lastDelivered = db.prepare<[number], { at: number | null }>(
    `SELECT max(a.at) AS at FROM webhook_attempts a WHERE a.delivery_id = (
       SELECT max(id) FROM webhook_deliveries WHERE endpoint_id = ? AND state = 'delivered')`,
  )

  return {
    lastDelivered: (endpointId: number): number | null => lastDelivered.get(endpointId)?.at ?? null,
    due: (endpointId: number, at: number, limit: number): DeliveryRow[] => due.all(endpointId, at, limit),
    /** When the next one falls due that is not due yet at `at`. */
    nextAfter: (endpointId: number, at: number): number | null => nextAfter.get(endpointId, at)?.at ?? null,
    get: (id: number): DeliveryRow | undefined => get.get(id),
    attempts: (id: number): DeliveryAttemptRow[] => attempts.all(id),
    ofMessage: (messageSeq: number): DeliveryRow[] => ofMessage.all(messageSeq),
    counts: () => counts.all(),
    list({ state, endpointId, messageId, before, limit }: DeliveryFilter): DeliveryRow[] {
      const where: string[] = []
      const values: (string | number)[] = []
      const add = (sql: string, value: string | number | undefined) => {
        if (value === undefined) return
        where.push(sql)
        values.push(value)
      }
      add('d.state = ?', state)
      add('d.endpoint_id = ?', endpointId)
      add('d.message_seq = (SELECT seq FROM messages WHERE id = ?)', messageId)
      add('d.id < ?', before)
      const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
      return db
        .prepare<unknown[], DeliveryRow>(`SELECT ${COLUMNS} ${FROM} ${condition} ORDER BY d.id DESC LIMIT ?`)
        .all(...values, limit)
    },
    /** Records one attempt and what follows from it; the next event of the same message may go when this one is through. */
    record: (id: number, attempt: DeliveryAttemptRow, fate: DeliveryFate): Promise<void> =>
      write(() => {
        addAttempt.run(attempt.at, attempt.status, attempt.error, attempt.body, attempt.tookMs, id)
        finish.run(fate.state, fate.state === 'pending' ? fate.nextAt : null, id)
        if (fate.state !== 'pending') release.run({ id, at: attempt.at + attempt.tookMs })
      }),
    replay: (id: number, at: number): Promise<boolean> => write(() => revive.run(at, id).changes > 0),
    /** Dead ones of enabled endpoints. Returns how many and whose. */
    replayDead: (endpointId: number | null, at: number): Promise<number> =>
      write(() => {
        const ids = dead.all({ endpointId })
        for (const { id } of ids) revive.run(at, id)
        return ids.length
      }),
  }
}
