import type { Written } from '../columns.ts'
import { notesAfter, TEMPLATE, type TemplatePlace, type TemplateRow, type TemplateStore } from '../templates.ts'
import { type Context, insertMany } from './sql.ts'

interface Stored extends TemplateRow {
  senderId: number
}

const WRITTEN: Written<Stored> = {
  sender_id: (row) => row.senderId,
  name: (row) => row.name,
  language: (row) => row.language,
  body: (row) => JSON.stringify(row.body),
  synced_at: (row) => row.syncedAt,
  trouble: (row) => row.trouble,
  coming: (row) => row.coming,
}

const keyOf = ({ name, language }: TemplatePlace): string => `${name} ${language}`

export function createTemplates({ db, write, remember }: Context): TemplateStore {
  let revision = 0
  remember(['templates'], async () => {
    revision += 1
  })
  return {
    revision: () => revision,
    list: (senderId) => db.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 ORDER BY name, language', [senderId]),
    async replace(senderId, name, rows, at) {
      const listed = new Map(rows.map((row) => [keyOf(row), row]))
      await write(async (tx) => {
        tx.changed('templates')
        const before = await tx.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])
        const known = new Map(before.map((row) => [keyOf(row), row]))
        const written = [...listed].map(([key, row]) => ({
          ...row,
          ...notesAfter(row, known.get(key)),
          senderId,
          syncedAt: at,
        }))
        void insertMany(
          tx,
          'templates',
          WRITTEN,
          written,
          `ON CONFLICT (sender_id, name, language) DO UPDATE SET body = excluded.body, synced_at = excluded.synced_at,
             trouble = excluded.trouble, coming = excluded.coming`,
        )
        void tx.run(
          `DELETE FROM templates WHERE sender_id = $1 AND ($2::text IS NULL OR name = $2)
             AND name || ' ' || language <> ALL ($3::text[])`,
          [senderId, name, [...listed.keys()]],
        )
      })
    },
    async change(senderId, { name, language, body, trouble, coming }) {
      await write((tx) => {
        tx.changed('templates')
        return tx.run(
          `UPDATE templates SET body = $4, trouble = $5, coming = $6
           WHERE sender_id = $1 AND name = $2 AND language = $3`,
          [senderId, name, language, JSON.stringify(body), trouble, coming === null ? null : JSON.stringify(coming)],
        )
      })
    },
  }
}
