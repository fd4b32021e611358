import { firstContacts, officialIds, senderSettings } from '../../contract/senders.ts'
import type { EventName } from '../../contract/webhooks.ts'
import type { SenderRow, SenderStore } from '../senders.ts'
import type { Engine } from './engine.ts'
import type { EventStatements } from './events.ts'
import {
  blobOrNull,
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

const SENDER: Columns<SenderRow> = {
  id: integer('id'),
  code: text('code'),
  kind: text('kind'),
  settings: json('settings', senderSettings),
  state: text('state'),
  reason: textOrNull('reason'),
  reasonDetail: textOrNull('reason_detail'),
  since: integer('since'),
  until: integerOrNull('until'),
  noConnectionBefore: integerOrNull('no_connection_before'),
  paused: flag('paused'),
  announced: text('announced'),
  phone: textOrNull('phone'),
  previousPhone: textOrNull('previous_phone'),
  accountName: textOrNull('account_name'),
  firstContacts: jsonOrNull('first_contacts', firstContacts),
  heardRestricted: flag('heard_restricted'),
  official: jsonOrNull('official', officialIds),
  secrets: blobOrNull('secrets'),
  createdAt: integer('created_at'),
}

/** Columns of a sender that was just added. */
const UNSET = {
  reason: null,
  reasonDetail: null,
  until: null,
  noConnectionBefore: null,
  paused: false,
  phone: null,
  previousPhone: null,
  accountName: null,
  firstContacts: null,
  heardRestricted: false,
} satisfies Partial<SenderRow>

export interface SenderStatements extends SenderStore {
  /** True if it is not deleted, as a transaction sees it. */
  isThere(id: number): boolean
  /** After its rows were changed by somebody else. */
  reload(): void
}

/**
 * Few, and asked for with every request, so they are kept in memory; the database is written first.
 */
export function createSenders(
  { db, write, remember, holding, fence }: Engine,
  events: EventStatements,
): SenderStatements {
  const senders = selecting(db, SENDER)
  const all = senders('FROM senders WHERE deleted_at IS NULL ORDER BY id')
  const one = senders<[number]>('FROM senders WHERE deleted_at IS NULL AND id = ?')
  const ever = selecting<Pick<SenderRow, 'id' | 'code' | 'kind'>>(db, {
    id: integer('id'),
    code: text('code'),
    kind: text('kind'),
  })('FROM senders')
  const ids = selecting<{ id: number }>(db, { id: integer('id') })
  const there = ids<[number]>('FROM senders WHERE id = ? AND deleted_at IS NULL /* only there */')
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
  // Waits for accepts that have found it, as an update alone would not.
  const holdToRemove = holding<[number]>('SELECT id FROM senders WHERE id = ? /* to be removed */')
  const remove = db.prepare('UPDATE senders SET deleted_at = ?, secrets = NULL WHERE id = ? AND deleted_at IS NULL')
  let byId = new Map<number, SenderRow>()
  let byCode = new Map<string, SenderRow>()
  let codes = new Map<number, string>()
  let sandboxes: ReadonlySet<number> = new Set()
  const reload = remember(['senders'], () => {
    const rows = all.all()
    const known = ever.all()
    byId = new Map(rows.map((row) => [row.id, row]))
    byCode = new Map(rows.map((row) => [row.code, row]))
    codes = new Map(known.map(({ id, code }) => [id, code]))
    sandboxes = new Set(known.flatMap(({ id, kind }) => (kind === 'sandbox' ? [id] : [])))
  })

  const stored = ({ settings, official }: Pick<SenderRow, 'settings' | 'official'>) => ({
    settings: JSON.stringify(settings),
    official: official === null ? null : JSON.stringify(official),
  })

  return {
    list: () => [...byId.values()],
    get: (id) => byId.get(id),
    byCode: (code) => byCode.get(code),
    codeOf: (id) => codes.get(id) ?? '',
    sandboxes: () => sandboxes,
    async add(sender, seal) {
      const added = await write(() => {
        const announced: EventName = sender.state === 'connected' ? 'sender.linked' : 'sender.unlinked'
        const id = Number(insert.run({ ...sender, ...stored(sender), announced }).lastInsertRowid)
        const secrets = seal === undefined ? null : seal(id)
        if (secrets !== null) setSecrets.run(secrets, id)
        return { ...UNSET, ...sender, announced, since: sender.createdAt, id, secrets }
      })
      await reload()
      return added
    },
    async change(id, decide, { asHolder = false } = {}) {
      const endpoints = await write((tx) => {
        if (asHolder) fence(tx, id)
        const before = one.get(id)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const { event, ...columns } = change
        const after = { ...before, ...columns }
        update.run({
          ...after,
          ...stored(after),
          firstContacts: after.firstContacts === null ? null : JSON.stringify(after.firstContacts),
          paused: Number(after.paused),
          heardRestricted: Number(after.heardRestricted),
        })
        return event === undefined ? [] : events.insert(tx, { ...event, messageSeq: null }).map((d) => d.endpointId)
      })
      await reload()
      return endpoints
    },
    async remove(id, at, event) {
      const endpoints = await write((tx) => {
        holdToRemove(tx, id)
        // Deleted in two windows at once, it is unlinked once.
        const isNews = remove.run(at, id).changes > 0
        return event === undefined || !isNews
          ? []
          : events.insert(tx, { ...event, messageSeq: null }).map((d) => d.endpointId)
      })
      await reload()
      return endpoints
    },
    deleted: async () => deleted.all().map(({ id }) => id),
    isThere: (id) => there.get(id) !== undefined,
    reload,
  }
}
