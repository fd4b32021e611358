import { integer, text } from '../columns.ts'
import { announcedAtFirst, SENDER, type SenderRow, type SenderStore, storedSender, UNSET_SENDER } from '../senders.ts'
import type { Db } from './database.ts'
import type { EventStatements } from './events.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface SenderStatements extends SenderStore {
  /** True if it is not deleted, as a transaction sees it. */
  isThere(id: number): boolean
  /** After its rows were changed by somebody else. */
  reload(): void
}

/**
 * Few, and asked for with every request, so they are kept in memory; the database is written first.
 */
export function createSenders(db: Db, write: Write, events: EventStatements): SenderStatements {
  const senders = selecting(db, SENDER)
  const all = senders('FROM senders WHERE deleted_at IS NULL ORDER BY id')
  const one = senders<[number]>('FROM senders WHERE deleted_at IS NULL AND id = ?')
  const ever = selecting<Pick<SenderRow, 'id' | 'code' | 'kind'>>(db, {
    id: integer('id'),
    code: text('code'),
    kind: text('kind'),
  })('FROM senders')
  const ids = selecting<{ id: number }>(db, { id: integer('id') })
  const there = ids<[number]>('FROM senders WHERE id = ? AND deleted_at IS NULL')
  const deleted = ids('FROM senders WHERE deleted_at IS NOT NULL ORDER BY id')
  const insert = db.prepare(
    `INSERT INTO senders (code, kind, settings, state, since, announced, official, created_at)
     VALUES (@code, @kind, @settings, @state, @createdAt, @announced, @official, @createdAt)`,
  )
  const update = db.prepare(
    `UPDATE senders SET settings = @settings, state = @state, reason = @reason, reason_detail = @reasonDetail, since = @since,
       until = @until, no_connection_before = @noConnectionBefore, paused = @paused, announced = @announced, phone = @phone,
       previous_phone = @previousPhone, account_name = @accountName, first_contacts = @firstContacts,
       heard_restricted = @heardRestricted, official = @official, secrets = @secrets WHERE id = @id`,
  )
  const setSecrets = db.prepare('UPDATE senders SET secrets = ? WHERE id = ?')
  const remove = db.prepare('UPDATE senders SET deleted_at = ?, secrets = NULL WHERE id = ? AND deleted_at IS NULL')
  let byId = new Map<number, SenderRow>()
  let byCode = new Map<string, SenderRow>()
  let codes = new Map<number, string>()
  let sandboxes: ReadonlySet<number> = new Set()
  function reload(): void {
    const rows = all.all()
    const known = ever.all()
    byId = new Map(rows.map((row) => [row.id, row]))
    byCode = new Map(rows.map((row) => [row.code, row]))
    codes = new Map(known.map(({ id, code }) => [id, code]))
    sandboxes = new Set(known.flatMap(({ id, kind }) => (kind === 'sandbox' ? [id] : [])))
  }
  reload()

  return {
    list: () => [...byId.values()],
    get: (id) => byId.get(id),
    byCode: (code) => byCode.get(code),
    codeOf: (id) => codes.get(id) ?? '',
    sandboxes: () => sandboxes,
    async add(sender, seal) {
      const added = await write(() => {
        const announced = announcedAtFirst(sender)
        const id = Number(
          insert.run({ ...sender, ...storedSender({ ...UNSET_SENDER, ...sender }), announced }).lastInsertRowid,
        )
        const secrets = seal === undefined ? null : seal(id)
        if (secrets !== null) setSecrets.run(secrets, id)
        return { ...UNSET_SENDER, ...sender, announced, since: sender.createdAt, id, secrets }
      })
      reload()
      return added
    },
    async change(id, decide) {
      const endpoints = await write((tx) => {
        const before = one.get(id)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const { event, ...columns } = change
        const after = { ...before, ...columns }
        update.run({ ...after, ...storedSender(after) })
        return event === undefined ? [] : events.insert(tx, { ...event, messageSeq: null }).map((d) => d.endpointId)
      })
      reload()
      return endpoints
    },
    async remove(id, at, event) {
      const endpoints = await write((tx) => {
        // Deleted in two windows at once, it is unlinked once.
        const isNews = remove.run(at, id).changes > 0
        return event === undefined || !isNews
          ? []
          : events.insert(tx, { ...event, messageSeq: null }).map((d) => d.endpointId)
      })
      reload()
      return endpoints
    },
    deleted: async () => deleted.all().map(({ id }) => id),
    isThere: (id) => there.get(id) !== undefined,
    reload,
  }
}
