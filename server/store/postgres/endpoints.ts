import {
  ENDPOINT,
  type EndpointRow,
  type EndpointStore,
  isWanting,
  storedEndpoint,
  UNSET_ENDPOINT,
} from '../endpoints.ts'
import type { Context } from './sql.ts'

export interface Endpoints extends EndpointStore {
  /** Ids of the endpoints that subscribe to an event. */
  wanting(event: string, senderCode: string | null): number[]
}

/** Few, and read with every status, so they are kept in memory; the database is written first. */
export function createEndpoints({ db, write, remember }: Context): Endpoints {
  let known = new Map<number, EndpointRow>()
  const reload = remember(['webhook_endpoints'], async () => {
    const rows = await db.rows(ENDPOINT, 'FROM webhook_endpoints ORDER BY id')
    known = new Map(rows.map((endpoint) => [endpoint.id, endpoint]))
  })

  return {
    list: () => [...known.values()],
    get: (id) => known.get(id),
    wanting: (event, senderCode) =>
      [...known.values()].filter((endpoint) => isWanting(endpoint, event, senderCode)).map(({ id }) => id),
    async add(endpoint, seal) {
      const { events, senderCodes, enabled } = storedEndpoint(endpoint)
      const added = await write(async (tx) => {
        tx.changed('webhook_endpoints')
        const [row] = await tx.query<{ id: number }>(
          `INSERT INTO webhook_endpoints (url, events, sender_codes, enabled, secret, created_at, format)
           VALUES ($1, $2, $3, $4, '', $5, $6) RETURNING id`,
          [endpoint.url, events, senderCodes, enabled, endpoint.createdAt, endpoint.format],
        )
        const id = row?.id ?? 0
        const secret = seal(id)
        void tx.run('UPDATE webhook_endpoints SET secret = $2 WHERE id = $1', [id, secret])
        return { ...endpoint, ...UNSET_ENDPOINT, id, secret }
      })
      await reload()
      return added
    },
    async change(id, decide) {
      const changed = await write(async (tx) => {
        const before = await tx.one(ENDPOINT, 'FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE', [id])
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        const { events, senderCodes, enabled, replacedSecrets } = storedEndpoint(after)
        tx.changed('webhook_endpoints')
        void tx.run(
          `UPDATE webhook_endpoints SET url = $2, events = $3, sender_codes = $4, enabled = $5, disabled_reason = $6,
             secret = $7, replaced_secrets = $8, last_error = $9, last_error_code = $10, last_error_status = $11,
             format = $12
           WHERE id = $1`,
          [
            ...[id, after.url, events, senderCodes, enabled, after.disabledReason, after.secret, replacedSecrets],
            ...[after.lastError, after.lastErrorCode, after.lastErrorStatus, after.format],
          ],
        )
        return after
      })
      await reload()
      return changed
    },
    async remove(id) {
      const removed = await write((tx) => {
        tx.changed('webhook_endpoints')
        return tx.run('DELETE FROM webhook_endpoints WHERE id = $1', [id])
      })
      await reload()
      return removed > 0
    },
  }
}
