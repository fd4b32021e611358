import {
  ENDPOINT,
  type EndpointRow,
  type EndpointStore,
  isWanting,
  storedEndpoint,
  UNSET_ENDPOINT,
} from '../endpoints.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface EndpointStatements extends EndpointStore {
  /** Ids of the endpoints that subscribe to an event. */
  wanting(event: string, senderCode: string | null): number[]
  /** After its rows were changed by somebody else. */
  reload(): void
}

/** Few, and read with every status, so they are kept in memory; the database is written first. */
export function createEndpoints(db: Db, write: Write): EndpointStatements {
  const endpoints = selecting(db, ENDPOINT)
  const all = endpoints('FROM webhook_endpoints ORDER BY id')
  const byId = endpoints<[number]>('FROM webhook_endpoints WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO webhook_endpoints (url, format, events, sender_codes, enabled, secret, created_at)
     VALUES (@url, @format, @events, @senderCodes, @enabled, @secret, @createdAt)`,
  )
  const update = db.prepare(
    `UPDATE webhook_endpoints SET url = @url, format = @format, events = @events, sender_codes = @senderCodes,
       enabled = @enabled, disabled_reason = @disabledReason, secret = @secret,
       replaced_secrets = @replacedSecrets, last_error = @lastError,
       last_error_code = @lastErrorCode, last_error_status = @lastErrorStatus WHERE id = @id`,
  )
  const setSecret = db.prepare('UPDATE webhook_endpoints SET secret = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM webhook_endpoints WHERE id = ?')
  let known = new Map<number, EndpointRow>()
  function reload(): void {
    known = new Map(all.all().map((endpoint) => [endpoint.id, endpoint]))
  }
  reload()

  return {
    list: () => [...known.values()],
    get: (id) => known.get(id),
    reload,
    wanting: (event, senderCode) =>
      [...known.values()].filter((endpoint) => isWanting(endpoint, event, senderCode)).map(({ id }) => id),
    async add(endpoint, seal) {
      const added = await write(() => {
        const row = insert.run({ ...endpoint, ...storedEndpoint(endpoint), secret: Buffer.alloc(0) })
        const id = Number(row.lastInsertRowid)
        const secret = seal(id)
        setSecret.run(secret, id)
        return { ...endpoint, ...UNSET_ENDPOINT, id, secret }
      })
      reload()
      return added
    },
    async change(id, decide) {
      const changed = await write(() => {
        const before = byId.get(id)
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        update.run({ ...after, ...storedEndpoint(after) })
        return after
      })
      reload()
      return changed
    },
    async remove(id) {
      const removed = await write(() => remove.run(id).changes > 0)
      reload()
      return removed
    },
  }
}
