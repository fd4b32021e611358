import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { StorageError } from '../../lib/storage-error.ts'
import { orStorageError } from './errors.ts'
import type { NodeFacts, NodeRow } from './nodes.ts'
import type { Connection, Pool } from './pool.ts'
import type { Tx } from './sql.ts'

/** Duration of a lease in milliseconds, from its renewal. */
export const LEASE_LASTS = 15_000
/**
 * Milliseconds after which any node takes a free sender, because the nodes with room may be gone as
 * well.
 */
const LEFT_FOR = 4_000
/** Nothing is started with a lease that ends sooner (ms). */
const MARGIN = 5_000
/** A running node is heard of within this time (ms). */
const HEARD_WITHIN = 7_000
const LOOKED_EVERY = 500
/**
 * A killed container stays in the list only for this time, because a container gets a new name at
 * each start.
 */
const LISTED_FOR = '7 days'
const LATER = `now() + interval '${LEASE_LASTS} milliseconds'`
/** SQL: a node that was last heard of before this time is gone. */
export const GONE_SINCE = `now() - interval '${LEASE_LASTS} milliseconds'`

interface Lease {
  epoch: number
  /**
   * Time of the renewal by two clocks: one that nobody sets, and one that also runs while the
   * computer sleeps.
   */
  renewedAt: { steady: number; wall: number }
}

/**
 * Keeps the leases of this node. Only the database's clock compares times.
 * @param pool connections on which renewals wait for nothing else
 * @param reads connections for reads that may wait
 */
export function createLeases(pool: Pool, reads: Pool, node: string, place: string) {
  const held = new Map<number, Lease>()
  /**
   * Times at which this node gave senders back. A renewal that began earlier says nothing about
   * such a sender.
   */
  const released = new Map<number, number>()
  const instance = randomUUID()
  const counts = { takenOver: 0, fenced: 0 }
  const ask = <Row extends pg.QueryResultRow>(sql: string, values: unknown[]) =>
    orStorageError(pool.query<Row>(sql, values), place)

  async function transact<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await pool.connect()
    try {
      await connection.query('BEGIN')
      const result = await work(connection)
      await connection.query('COMMIT')
      connection.release()
      return result
    } catch (error) {
      connection.release(true)
      throw error
    }
  }

  const inTransaction = <T>(work: (connection: Connection) => Promise<T>) => orStorageError(transact(work), place)

  interface LeaseRow {
    sender_id: number
    epoch: number
  }

  /**
   * Takes free senders: first those of lost nodes (and of this one before its restart), then those
   * that no node ever held. Beyond this node's share, takes only senders that the others left.
   * Skips a row that a frozen node has locked, until the next time.
   */
  async function take(connection: Connection, most: number, renewed: readonly LeaseRow[]): Promise<LeaseRow[]> {
    const { rows: takenOver } = await connection.query<LeaseRow>(
      `UPDATE sender_leases SET node = $1, epoch = epoch + 1, until = ${LATER} WHERE sender_id IN (
         SELECT l.sender_id FROM sender_leases l JOIN senders s ON s.id = l.sender_id AND s.deleted_at IS NULL
         WHERE (l.until < now() OR l.node = $1) AND l.sender_id <> ALL ($3) ORDER BY l.until
         LIMIT greatest($2, (SELECT count(*) FROM sender_leases WHERE until < now() - interval '${LEFT_FOR} milliseconds'))
         FOR UPDATE OF l SKIP LOCKED) RETURNING sender_id, epoch`,
      [node, Math.max(0, most), renewed.map((row) => row.sender_id)],
    )
    const { rows: fresh } = await connection.query<LeaseRow>(
      `INSERT INTO sender_leases (sender_id, node, epoch, until)
       SELECT id, $1, 1, ${LATER} FROM senders s WHERE deleted_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM sender_leases l WHERE l.sender_id = s.id) ORDER BY id LIMIT $2
       ON CONFLICT (sender_id) DO NOTHING RETURNING sender_id, epoch`,
      [node, Math.max(0, most - takenOver.length)],
    )
    counts.takenOver += takenOver.length
    return [...takenOver, ...fresh]
  }

  /** Returns how many senders each living node must take so that all are held. */
  async function shareOf(connection: Connection): Promise<number> {
    const { rows } = await connection.query<{ share: number }>(
      `SELECT ceil((SELECT count(*) FROM senders WHERE deleted_at IS NULL)::numeric / greatest(1, count(*))) AS share
       FROM nodes WHERE seen_at > ${GONE_SINCE}`,
    )
    return rows[0]?.share ?? 0
  }

  /**
   * Returns when a node of this name was last heard of, as a text that changes each time;
   * undefined: not lately.
   */
  async function heardOf(): Promise<string | undefined> {
    const { rows } = await ask<{ seen: string }>(
      `SELECT seen_at::text AS seen FROM nodes WHERE name = $1 AND seen_at > ${GONE_SINCE}`,
      [node],
    )
    return rows[0]?.seen
  }

  function epochOf(senderId: number): number | null {
    const lease = held.get(senderId)
    if (lease === undefined) return null
    const { steady, wall } = lease.renewedAt
    const isLong = Math.max(performance.now() - steady, Date.now() - wall) < LEASE_LASTS - MARGIN
    return isLong ? lease.epoch : null
  }

  return {
    instance,
    /**
     * Claims the node's name for this program; must be called first. Waits for a node that may have
     * been killed, because nobody else knows if it still runs.
     * @throws StorageError `same_name`: the other node runs
     */
    async claimName(): Promise<void> {
      const seen = await heardOf()
      if (seen !== undefined) {
        for (const until = performance.now() + HEARD_WITHIN; performance.now() < until; ) {
          await new Promise((resolve) => setTimeout(resolve, LOOKED_EVERY))
          const now = await heardOf()
          if (now === undefined) break
          if (now !== seen) throw new StorageError('same_name', node)
        }
      }
      await ask(`DELETE FROM nodes WHERE name = $1 OR seen_at < now() - interval '${LISTED_FOR}'`, [node])
    },
    async renew({ url, version, startedAt }: NodeFacts): Promise<number[]> {
      // Read the clocks before the query, so that its time on the way shortens the lease.
      const renewedAt = { steady: performance.now(), wall: Date.now() }
      const rows = await inTransaction(async (connection) => {
        const { rowCount } = await connection.query(
          `INSERT INTO nodes AS n (name, instance, url, version, started_at, seen_at, taken_over, fenced)
           VALUES ($1, $7, $2, $3, $4, now(), $5, $6)
           ON CONFLICT (name) DO UPDATE SET url = excluded.url, version = excluded.version, started_at = excluded.started_at,
             seen_at = excluded.seen_at, taken_over = excluded.taken_over, fenced = excluded.fenced
           WHERE n.instance = excluded.instance`,
          [node, url, version, startedAt, counts.takenOver, counts.fenced, instance],
        )
        if (rowCount === 0) throw new StorageError('same_name', node)
        const epochs = JSON.stringify([...held].map(([sender_id, { epoch }]) => ({ sender_id, epoch })))
        const { rows: renewed } = await connection.query<LeaseRow>(
          `UPDATE sender_leases l SET until = ${LATER}
           FROM jsonb_to_recordset($2::jsonb) AS mine (sender_id bigint, epoch bigint), senders s
           WHERE l.sender_id = mine.sender_id AND l.epoch = mine.epoch AND l.node = $1 AND s.id = l.sender_id
             AND s.deleted_at IS NULL RETURNING l.sender_id, l.epoch`,
          [node, epochs],
        )
        const free = (await shareOf(connection)) - renewed.length
        return [...renewed, ...(await take(connection, free, renewed))]
      })
      held.clear()
      for (const { sender_id, epoch } of rows) {
        if ((released.get(sender_id) ?? 0) < renewedAt.steady) held.set(sender_id, { epoch, renewedAt })
      }
      return [...held.keys()]
    },
    holds: (senderId: number) => epochOf(senderId) !== null,
    epochOf,
    async surplus(): Promise<number> {
      return Math.max(0, held.size - (await inTransaction(shareOf)))
    },
    fence(tx: Tx, senderId: number): void {
      const lease = held.get(senderId)
      if (lease === undefined) throw new StorageError('not_holder', place)
      void tx.run('SELECT hold_lease($1, $2, $3)', [senderId, node, lease.epoch])
    },
    refused(): StorageError {
      counts.fenced += 1
      return new StorageError('not_holder', place)
    },
    async release(senderId: number): Promise<void> {
      const lease = held.get(senderId)
      held.delete(senderId)
      if (lease === undefined) return
      released.set(senderId, performance.now())
      await ask('UPDATE sender_leases SET until = now() WHERE sender_id = $1 AND node = $2 AND epoch = $3', [
        senderId,
        node,
        lease.epoch,
      ])
    },
    async holderOf(senderId: number): Promise<{ url: string; instance: string } | undefined> {
      const { rows } = await ask<{ url: string; instance: string }>(
        `SELECT n.url, n.instance FROM sender_leases l JOIN nodes n ON n.name = l.node
         WHERE l.sender_id = $1 AND l.node <> $2 AND l.until > now() AND n.url IS NOT NULL`,
        [senderId, node],
      )
      return rows[0]
    },
    async list(): Promise<NodeRow[]> {
      const asked = reads.query<NodeRow>(
        `SELECT n.name, n.instance, n.url, n.version, n.started_at AS "startedAt",
           floor(extract(epoch FROM n.seen_at) * 1000)::bigint AS "seenAt",
           floor(extract(epoch FROM now() - n.seen_at) * 1000)::bigint AS "silentFor",
           n.seen_at > ${GONE_SINCE} AS alive,
           (SELECT count(*) FROM sender_leases l WHERE l.node = n.name AND l.until > now()) AS senders,
           n.taken_over AS "takenOver", n.fenced
         FROM nodes n ORDER BY n.name`,
      )
      return (await orStorageError(asked, place)).rows
    },
    async forget(name: string): Promise<'forgotten' | 'alive' | 'unknown'> {
      const { rows } = await ask<{ gone: boolean }>(
        `WITH gone AS (DELETE FROM nodes WHERE name = $1 AND seen_at <= ${GONE_SINCE} RETURNING name)
         SELECT n.name IN (SELECT name FROM gone) AS gone FROM nodes n WHERE n.name = $1`,
        [name],
      )
      const [found] = rows
      return found === undefined ? 'unknown' : found.gone ? 'forgotten' : 'alive'
    },
    async leave(): Promise<void> {
      held.clear()
      try {
        await ask(
          `UPDATE sender_leases SET until = now() WHERE node = $1 AND until > now()
             AND EXISTS (SELECT 1 FROM nodes WHERE name = $1 AND instance = $2)`,
          [node, instance],
        )
        await ask('DELETE FROM nodes WHERE name = $1 AND instance = $2', [node, instance])
      } catch (error) {
        // Ignore it: while the server is away nobody else can take the leases, and they expire.
        if (!(error instanceof StorageError)) throw error
      }
    },
    counts: () => ({ leases: held.size, ...counts }),
  }
}
