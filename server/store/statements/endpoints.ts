import { z } from 'zod'
import { eventName } from '../../contract/webhooks.ts'
import type { EndpointRow, EndpointStore, NewEndpoint } from '../endpoints.ts'
import type { Db, Remember, Write } from './engine.ts'
import {
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  selecting,
  text,
  textOrNull,
} from './sql.ts'

const replacedSecret = z.object({
  secret: z.string().transform((hex) => Buffer.from(hex, 'hex')),
  until: z.number(),
})

const ENDPOINT: Columns<EndpointRow> = {
  id: integer('id'),
  url: text('url'),
  events: json('events', z.array(eventName)),
  senderCodes: jsonOrNull('sender_codes', z.array(z.string())),
  enabled: flag('enabled'),
  disabledReason: textOrNull('disabled_reason'),
  secret: blob('secret'),
  replacedSecrets: json('replaced_secrets', z.array(replacedSecret)),
  lastError: textOrNull('last_error'),
  lastErrorCode: textOrNull('last_error_code'),
  lastErrorStatus: integerOrNull('last_error_status'),
  createdAt: integer('created_at'),
}

export interface EndpointStatements extends EndpointStore {
  /** Ids of the endpoints that subscribe to an event. */
  wanting(event: string, senderCode: string | null): number[]
  /** After its rows were changed by somebody else. */
  reload(): Promise<void>
}

/** Few, and read with every status, so they are kept in memory; the database is written first. */
export function createEndpoints(db: Db, write: Write, remember: Remember): EndpointStatements {
  const endpoints = selecting(db, ENDPOINT)
  const all = endpoints('FROM webhook_endpoints ORDER BY id')
  const byId = endpoints<[number]>('FROM webhook_endpoints WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO webhook_endpoints (url, events, sender_codes, enabled, secret, created_at)
     VALUES (@url, @events, @senderCodes, @enabled, @secret, @createdAt)`,
  )
  const update = db.prepare(
    `UPDATE webhook_endpoints SET url = @url, events = @events, sender_codes = @senderCodes, enabled = @enabled,
       disabled_reason = @disabledReason, secret = @secret,
       replaced_secrets = @replacedSecrets, last_error = @lastError,
       last_error_code = @lastErrorCode, last_error_status = @lastErrorStatus WHERE id = @id`,
  )
  const setSecret = db.prepare('UPDATE webhook_endpoints SET secret = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM webhook_endpoints WHERE id = ?')
  let known = new Map<number, EndpointRow>()
  const reload = remember(['webhook_endpoints'], () => {
    known = new Map(all.all().map((endpoint) => [endpoint.id, endpoint]))
  })

  const stored = (endpoint: Omit<NewEndpoint, 'url' | 'createdAt'>) => ({
    events: JSON.stringify(endpoint.events),
    senderCodes: endpoint.senderCodes === null ? null : JSON.stringify(endpoint.senderCodes),
    enabled: Number(endpoint.enabled),
  })

  return {
    list: () => [...known.values()],
    get: (id) => known.get(id),
    reload,
    wanting(event, senderCode) {
      const ids: number[] = []
      for (const { id, enabled, disabledReason, events, senderCodes } of known.values()) {
        // One that was switched off because its receiver answered 410 gets it when it is on again.
        if ((!enabled && disabledReason === null) || !events.some((name) => name === event)) continue
        if (senderCodes === null || senderCode === null || senderCodes.includes(senderCode)) ids.push(id)
      }
      return ids
    },
    async add(endpoint, seal) {
      const added = await write(() => {
        const row = insert.run({ ...endpoint, ...stored(endpoint), secret: Buffer.alloc(0) })
        const id = Number(row.lastInsertRowid)
        const secret = seal(id)
        setSecret.run(secret, id)
        const unset = {
          disabledReason: null,
          replacedSecrets: [],
          lastError: null,
          lastErrorCode: null,
          lastErrorStatus: null,
        }
        return { ...endpoint, ...unset, id, secret }
      })
      await reload()
      return added
    },
    async change(id, decide) {
      const changed = await write(() => {
        const before = byId.get(id)
        if (before === undefined) return undefined
        const after = { ...before, ...decide(before) }
        const replacedSecrets = after.replacedSecrets.map(({ secret, until }) => ({
          secret: secret.toString('hex'),
          until,
        }))
        update.run({ ...after, ...stored(after), replacedSecrets: JSON.stringify(replacedSecrets) })
        return after
      })
      await reload()
      return changed
    },
    async remove(id) {
      const removed = await write(() => remove.run(id).changes > 0)
      await reload()
      return removed
    },
  }
}
