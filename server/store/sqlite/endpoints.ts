import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface EndpointRow {
  id: number
  url: string
  events: string[]
  senderCodes: string[] | null
  enabled: boolean
  disabledReason: string | null
  secret: Buffer
  previousSecret: Buffer | null
  previousUntil: number | null
  lastError: string | null
  createdAt: number
}

export type NewEndpoint = Pick<EndpointRow, 'url' | 'events' | 'senderCodes' | 'enabled' | 'createdAt'>
export type EndpointChange = Partial<Omit<EndpointRow, 'id' | 'createdAt'>>

type Raw = Omit<EndpointRow, 'events' | 'senderCodes' | 'enabled'> & {
  events: string
  senderCodes: string | null
  enabled: number
}

const COLUMNS = `id, url, events, sender_codes AS senderCodes, enabled, disabled_reason AS disabledReason, secret,
  previous_secret AS previousSecret, previous_until AS previousUntil, last_error AS lastError, created_at AS createdAt`

const parse = (raw: Raw): EndpointRow => ({
  ...raw,
  events: JSON.parse(raw.events) as string[],
  senderCodes: raw.senderCodes === null ? null : (JSON.parse(raw.senderCodes) as string[]),
  enabled: raw.enabled === 1,
})

export type Endpoints = ReturnType<typeof createEndpoints>

/** Receivers of callbacks. Few and read on every status, so they are kept in memory; the file is written first. */
export function createEndpoints(db: Db, write: Write) {
  const select = db.prepare<[], Raw>(`SELECT ${COLUMNS} FROM webhook_endpoints ORDER BY id`)
  const insert = db.prepare(
    'INSERT INTO webhook_endpoints (url, events, sender_codes, enabled, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const update = db.prepare(
    `UPDATE webhook_endpoints SET url = ?, events = ?, sender_codes = ?, enabled = ?, disabled_reason = ?, secret = ?,
       previous_secret = ?, previous_until = ?, last_error = ? WHERE id = ?`,
  )
  const remove = db.prepare('DELETE FROM webhook_endpoints WHERE id = ?')
  let known = new Map<number, EndpointRow>()
  const reload = () => {
    known = new Map(select.all().map((raw) => [raw.id, parse(raw)]))
  }
  reload()

  return {
    list: (): EndpointRow[] => [...known.values()],
    get: (id: number): EndpointRow | undefined => known.get(id),
    /** Ids of the endpoints that hear of an event. */
    wanting(event: string, senderCode: string | null): number[] {
      const ids: number[] = []
      for (const endpoint of known.values()) {
        if (!endpoint.enabled || !endpoint.events.includes(event)) continue
        if (endpoint.senderCodes !== null && senderCode !== null && !endpoint.senderCodes.includes(senderCode)) continue
        ids.push(endpoint.id)
      }
      return ids
    },
    /** `seal` gets the new id, because a sealed secret is bound to its row. */
    async add(endpoint: NewEndpoint, seal: (id: number) => Buffer): Promise<EndpointRow> {
      const id = await write(() => {
        const { url, events, senderCodes, enabled, createdAt } = endpoint
        const codes = senderCodes === null ? null : JSON.stringify(senderCodes)
        const row = insert.run(url, JSON.stringify(events), codes, Number(enabled), Buffer.alloc(0), createdAt)
        const newId = Number(row.lastInsertRowid)
        db.prepare('UPDATE webhook_endpoints SET secret = ? WHERE id = ?').run(seal(newId), newId)
        return newId
      })
      reload()
      return known.get(id) as EndpointRow
    },
    async change(id: number, change: EndpointChange): Promise<EndpointRow | undefined> {
      await write(() => {
        const old = select.all().find((raw) => raw.id === id)
        if (old === undefined) return
        const next = { ...parse(old), ...change }
        update.run(
          next.url,
          JSON.stringify(next.events),
          next.senderCodes === null ? null : JSON.stringify(next.senderCodes),
          Number(next.enabled),
          next.disabledReason,
          next.secret,
          next.previousSecret,
          next.previousUntil,
          next.lastError,
          id,
        )
      })
      reload()
      return known.get(id)
    },
    async remove(id: number): Promise<boolean> {
      const removed = await write(() => remove.run(id).changes > 0)
      reload()
      return removed
    },
  }
}
