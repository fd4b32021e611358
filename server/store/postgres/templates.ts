import { inPlace } from '../statements.ts'
import { changeTemplate, keyOf, notesAfter, STORED, STORED_KEY, TEMPLATE, type TemplateStore } from '../templates.ts'
import { type Context, insertMany, runBound } from './sql.ts'

export function createTemplates({ db, write, remember }: Context): TemplateStore {
  let revision = 0
  remember(['templates'], async () => {
    revision += 1
  })
  return {
    revision: () => revision,
    list: (senderId) => db.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 ORDER BY name, language', [senderId]),
    async replace(senderId, name, rows, syncedAt) {
      const listed = new Map(rows.map((row) => [keyOf(row), row]))
      await write(async (tx) => {
        tx.changed('templates')
        const before = await tx.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])
        const known = new Map(before.map((row) => [keyOf(row), row]))
        const put = [...listed].map(([key, row]) => ({
          ...row,
          ...notesAfter(row, known.get(key)),
          senderId,
          syncedAt,
        }))
        void insertMany(tx, 'templates', STORED, put, inPlace(STORED, ...STORED_KEY))
        void tx.run(
          `DELETE FROM templates WHERE sender_id = $1 AND ($2::text IS NULL OR name = $2)
             AND name || ' ' || language <> ALL ($3::text[])`,
          [senderId, name, [...listed.keys()]],
        )
      })
    },
    async change(senderId, row) {
      await write((tx) => {
        tx.changed('templates')
        return runBound(tx, changeTemplate(senderId, row))
      })
    },
  }
}
