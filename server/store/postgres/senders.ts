import { integer, text } from '../columns.ts'
import { announcedAtFirst, SENDER, type SenderRow, type SenderStore, storedSender, UNSET_SENDER } from '../senders.ts'
import type { Events } from './events.ts'
import type { Context, Tx } from './sql.ts'

/**
 * Few, and asked for with every request, so they are kept in memory; the database is written first.
 */
export function createSenders({ db, write, remember, fence }: Context, events: Pick<Events, 'insert'>): SenderStore {
  let byId = new Map<number, SenderRow>()
  let byCode = new Map<string, SenderRow>()
  let codes = new Map<number, string>()
  let sandboxes: ReadonlySet<number> = new Set()
  const reload = remember(['senders'], async () => {
    const rows = await db.rows(SENDER, 'FROM senders WHERE deleted_at IS NULL ORDER BY id')
    const ever = await db.rows({ id: integer('id'), code: text('code'), kind: text('kind') }, 'FROM senders')
    byId = new Map(rows.map((row) => [row.id, row]))
    byCode = new Map(rows.map((row) => [row.code, row]))
    codes = new Map(ever.map(({ id, code }) => [id, code]))
    sandboxes = new Set(ever.flatMap(({ id, kind }) => (kind === 'sandbox' ? [id] : [])))
  })

  async function changing<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await write((tx) => {
      tx.changed('senders')
      return work(tx)
    })
    await reload()
    return result
  }

  const announce = async (tx: Tx, event: Parameters<SenderStore['remove']>[2]): Promise<number[]> =>
    event === undefined
      ? []
      : (await events.insert(tx, { ...event, messageSeq: null })).map(({ endpointId }) => endpointId)

  return {
    list: () => [...byId.values()],
    get: (id) => byId.get(id),
    byCode: (code) => byCode.get(code),
    codeOf: (id) => codes.get(id) ?? '',
    sandboxes: () => sandboxes,
    add: (sender, seal) =>
      changing(async (tx) => {
        const announced = announcedAtFirst(sender)
        const { settings, official } = storedSender({ ...UNSET_SENDER, ...sender })
        const [row] = await tx.query<{ id: number }>(
          `INSERT INTO senders (code, kind, settings, state, since, announced, official, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $5) RETURNING id`,
          [sender.code, sender.kind, settings, sender.state, sender.createdAt, announced, official],
        )
        const id = row?.id ?? 0
        const secrets = seal === undefined ? null : seal(id)
        if (secrets !== null) void tx.run('UPDATE senders SET secrets = $2 WHERE id = $1', [id, secrets])
        return { ...UNSET_SENDER, ...sender, announced, since: sender.createdAt, id, secrets }
      }),
    change: (id, decide, { asHolder = false } = {}) =>
      changing(async (tx) => {
        if (asHolder) fence(tx, id)
        const from = 'FROM senders WHERE deleted_at IS NULL AND id = $1 FOR NO KEY UPDATE'
        const before = await tx.one(SENDER, from, [id])
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const { event, ...columns } = change
        const after = { ...before, ...columns }
        const { settings, firstContacts, paused, heardRestricted, official } = storedSender(after)
        void tx.run(
          `UPDATE senders SET settings = $2, state = $3, reason = $4, reason_detail = $5, since = $6, until = $7,
             no_connection_before = $8, paused = $9, announced = $10, phone = $11, previous_phone = $12,
             account_name = $13, first_contacts = $14, heard_restricted = $15, official = $16, secrets = $17
           WHERE id = $1`,
          [
            ...[id, settings, after.state, after.reason, after.reasonDetail, after.since, after.until],
            ...[after.noConnectionBefore, paused, after.announced, after.phone, after.previousPhone],
            ...[after.accountName, firstContacts, heardRestricted, official, after.secrets],
          ],
        )
        return announce(tx, event)
      }),
    remove: (id, at, event) =>
      changing(async (tx) => {
        // Waits for accepts that have found it, as an update alone would not.
        void tx.run('SELECT 1 FROM senders WHERE id = $1 FOR UPDATE', [id])
        // Deleted in two windows at once, it is unlinked once.
        const isNews = await tx.run(
          'UPDATE senders SET deleted_at = $2, secrets = NULL WHERE id = $1 AND deleted_at IS NULL',
          [id, at],
        )
        return isNews > 0 ? announce(tx, event) : []
      }),
    deleted: async () =>
      (await db.rows({ id: integer('id') }, 'FROM senders WHERE deleted_at IS NOT NULL ORDER BY id')).map(
        ({ id }) => id,
      ),
  }
}
