import type { SenderKind, SenderSettings, SenderState } from '../../contract/senders.ts'
import type { Db } from './database.ts'
import type { Events } from './events.ts'
import type { Write } from './group-commit.ts'

export interface SenderRow {
  id: number
  code: string
  kind: SenderKind
  settings: SenderSettings
  state: SenderState
  reason: string | null
  since: number
  paused: boolean
  phone: string | null
  accountName: string | null
  /** Official senders: ids at Meta and the last check; JSON. */
  official: string | null
  /** Official senders: sealed JSON. */
  secrets: Buffer | null
  createdAt: number
}

export type NewSender = Pick<SenderRow, 'code' | 'kind' | 'settings' | 'state' | 'official' | 'createdAt'>
export type SenderChange = Partial<Omit<SenderRow, 'id' | 'code' | 'kind' | 'createdAt'>>

type Raw = Omit<SenderRow, 'settings' | 'paused'> & { settings: string; paused: number }

const parse = (raw: Raw): SenderRow => ({
  ...raw,
  settings: JSON.parse(raw.settings) as SenderSettings,
  paused: raw.paused === 1,
})

export type Senders = ReturnType<typeof createSenderStore>

/** Senders are few and asked for with every request, so they are kept in memory; the file is written first. */
export function createSenderStore(db: Db, write: Write) {
  const select = db.prepare<[], Raw>(
    `SELECT id, code, kind, settings, state, reason, since, paused, phone, account_name AS accountName, official, secrets,
       created_at AS createdAt FROM senders WHERE deleted_at IS NULL ORDER BY id`,
  )
  const codes = db.prepare<[number], { code: string }>('SELECT code FROM senders WHERE id = ?')
  const insert = db.prepare(
    'INSERT INTO senders (code, kind, settings, state, since, official, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const update = db.prepare(
    `UPDATE senders SET settings = ?, state = ?, reason = ?, since = ?, paused = ?, phone = ?, account_name = ?, official = ?,
       secrets = ? WHERE id = ?`,
  )
  const remove = db.prepare('UPDATE senders SET deleted_at = ?, secrets = NULL WHERE id = ?')
  let byId = new Map<number, SenderRow>()
  let byCode = new Map<string, SenderRow>()
  const reload = () => {
    const rows = select.all().map(parse)
    byId = new Map(rows.map((row) => [row.id, row]))
    byCode = new Map(rows.map((row) => [row.code, row]))
  }
  reload()

  return {
    list: (): SenderRow[] => [...byId.values()],
    get: (id: number): SenderRow | undefined => byId.get(id),
    byCode: (code: string): SenderRow | undefined => byCode.get(code),
    /** Also of a deleted sender, whose messages are still there. */
    codeOf: (id: number): string => byId.get(id)?.code ?? codes.get(id)?.code ?? '',
    /** `seal` gets the new id, because a sealed secret is bound to its row. */
    async add(sender: NewSender, seal?: (id: number) => Buffer): Promise<SenderRow> {
      const id = await write(() => {
        const { code, kind, settings, state, official, createdAt } = sender
        const row = insert.run(code, kind, JSON.stringify(settings), state, createdAt, official, createdAt)
        const newId = Number(row.lastInsertRowid)
        if (seal) db.prepare('UPDATE senders SET secrets = ? WHERE id = ?').run(seal(newId), newId)
        return newId
      })
      reload()
      return byId.get(id) as SenderRow
    },
    /** `told` is an event for the callbacks, written in the same transaction. Returns the endpoints that will hear of it. */
    async change(
      id: number,
      change: SenderChange,
      outbox?: { events: Events; event: Parameters<Events['insert']>[0] },
    ): Promise<number[]> {
      const endpoints = await write(() => {
        const old = select.all().find((raw) => raw.id === id)
        if (old === undefined) return []
        const next = { ...parse(old), ...change }
        update.run(
          ...[JSON.stringify(next.settings), next.state, next.reason, next.since, Number(next.paused)],
          ...[next.phone, next.accountName, next.official, next.secrets, id],
        )
        return outbox === undefined ? [] : outbox.events.insert(outbox.event).deliveries.map((d) => d.endpointId)
      })
      reload()
      return endpoints
    },
    async remove(id: number, at: number): Promise<void> {
      await write(() => remove.run(at, id))
      reload()
    },
  }
}
