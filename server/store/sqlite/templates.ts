import {
  type ComingCategory,
  notesAfter,
  TEMPLATE,
  type TemplateNotes,
  type TemplatePlace,
  type TemplateStore,
} from '../templates.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

const ROWS_AT_ONCE = 200

export function createTemplates(db: Db, write: Write): TemplateStore {
  const select = selecting(db, TEMPLATE)<[number]>('FROM templates WHERE sender_id = ? ORDER BY name, language')
  const noted = selecting<TemplatePlace & TemplateNotes>(db, {
    name: TEMPLATE.name,
    language: TEMPLATE.language,
    trouble: TEMPLATE.trouble,
    coming: TEMPLATE.coming,
  })<[number]>('FROM templates WHERE sender_id = ? AND (trouble IS NOT NULL OR coming IS NOT NULL)')
  const put = db.prepare(
    `INSERT INTO templates (sender_id, name, language, body, synced_at, trouble, coming)
     VALUES (@senderId, @name, @language, @body, @at, @trouble, @coming)
     ON CONFLICT DO UPDATE SET body = excluded.body, synced_at = excluded.synced_at,
       trouble = excluded.trouble, coming = excluded.coming`,
  )
  const drop = db.prepare(
    `DELETE FROM templates WHERE sender_id = @senderId AND (@name IS NULL OR name = @name)
       AND name || ' ' || language NOT IN (SELECT value FROM json_each(@kept))`,
  )
  const change = db.prepare(
    `UPDATE templates SET body = @body, trouble = @trouble, coming = @coming
     WHERE sender_id = @senderId AND name = @name AND language = @language`,
  )
  const stored = (category: ComingCategory | null) => (category === null ? null : JSON.stringify(category))
  const keyOf = ({ name, language }: { name: string; language: string }) => `${name} ${language}`

  return {
    // There is no other node.
    revision: () => 0,
    list: async (senderId) => select.all(senderId),
    async replace(senderId, name, rows, at) {
      // So that thousands hold up nothing else.
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await write(() => {
          const before = new Map(noted.all(senderId).map((row) => [keyOf(row), row]))
          for (const row of rows.slice(from, from + ROWS_AT_ONCE)) {
            const { trouble, coming } = notesAfter(row, before.get(keyOf(row)))
            const body = JSON.stringify(row.body)
            put.run({ senderId, name: row.name, language: row.language, body, at, trouble, coming: stored(coming) })
          }
        })
      }
      const kept = JSON.stringify(rows.map(keyOf))
      await write(() => void drop.run({ senderId, name, kept }))
    },
    change: (senderId, row) =>
      write(() => void change.run({ ...row, senderId, body: JSON.stringify(row.body), coming: stored(row.coming) })),
  }
}
