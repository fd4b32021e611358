import { integer } from '../columns.ts'
import {
  changeTemplate,
  FACTS,
  INBOX,
  type InboxRow,
  type InboxStore,
  NO_FACTS,
  notesAfter,
  type OfficialFacts,
  type OfficialFactsStore,
  putEarly,
  putFacts,
  STORED_TEMPLATE,
  TEMPLATE,
  TEMPLATE_KEY,
  type TemplateStore,
  templateKeyOf,
} from '../official.ts'
import { bound, putting } from '../statements.ts'
import { type Context, selecting } from './sql.ts'

const ROWS_AT_ONCE = 200
const putTemplate = putting('templates', STORED_TEMPLATE, ...TEMPLATE_KEY)

export function createTemplates({ db, write, run }: Context): TemplateStore {
  const select = selecting(db, TEMPLATE)<[number]>('FROM templates WHERE sender_id = ? ORDER BY name, language')
  const { name, language, trouble, coming } = TEMPLATE
  const noted = selecting(db, { name, language, trouble, coming })<[number]>(
    'FROM templates WHERE sender_id = ? AND (trouble IS NOT NULL OR coming IS NOT NULL)',
  )
  const drop = db.prepare(
    `DELETE FROM templates WHERE sender_id = @senderId AND (@name IS NULL OR name = @name)
       AND name || ' ' || language NOT IN (SELECT value FROM json_each(@kept))`,
  )

  return {
    // No other node exists.
    revision: () => 0,
    list: async (senderId) => select.all(senderId),
    async replace(senderId, name, rows, syncedAt, whole) {
      // In portions, so that thousands of templates delay nothing else.
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await write(() => {
          const before = new Map(noted.all(senderId).map((row) => [templateKeyOf(row), row]))
          for (const row of rows.slice(from, from + ROWS_AT_ONCE))
            run(
              putTemplate({ ...row, ...notesAfter(row, before.get(templateKeyOf(row)), syncedAt), senderId, syncedAt }),
            )
        })
      }
      if (!whole) return
      const kept = JSON.stringify(rows.map(templateKeyOf))
      await write(() => void drop.run({ senderId, name, kept }))
    },
    change: (senderId, row) => write(() => void run(changeTemplate(senderId, row))),
  }
}

export function createOfficialFacts({ db, write, run }: Context): OfficialFactsStore {
  const select = selecting(db, FACTS)<[number]>('FROM official_facts WHERE sender_id = ?')
  const get = (senderId: number): OfficialFacts => select.get(senderId) ?? NO_FACTS
  return {
    get: async (senderId) => get(senderId),
    change: (senderId, decide, urgency) =>
      write(() => {
        const before = get(senderId)
        const facts = { ...before, ...decide(before) }
        run(putFacts({ senderId, ...facts }))
        return facts
      }, urgency),
  }
}

export function applyingInbox({ db, write, run }: Context) {
  const sent = selecting(db, { seq: integer('seq') })<[string, number]>(
    'FROM messages WHERE provider_message_id = ? AND +lane_id = ? LIMIT 1',
  )
  const waiting = selecting(db, INBOX)('FROM meta_inbox WHERE applied_at IS NULL ORDER BY seq')
  return {
    async waiting(bytes) {
      const rows: InboxRow[] = []
      let size = 0
      for (const row of waiting.iterate()) {
        rows.push(row)
        size += row.body.length
        if (size >= bytes) break
      }
      return rows
    },
    applied: (seqs, at, urgency) =>
      write(() => {
        for (const seq of seqs) run(bound("UPDATE meta_inbox SET applied_at = $2, body = x'' WHERE seq = $1", seq, at))
      }, urgency),
    keepEarly: (status) =>
      write(() => {
        if (sent.get(status.providerMessageId, status.senderId) !== undefined) return false
        run(putEarly(status))
        return true
      }),
  } satisfies Partial<InboxStore>
}
