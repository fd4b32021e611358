import { putting } from '../statements.ts'
import { changeTemplate, keyOf, notesAfter, STORED, STORED_KEY, TEMPLATE, type TemplateStore } from '../templates.ts'
import { type Context, selecting } from './sql.ts'

const ROWS_AT_ONCE = 200
const put = putting('templates', STORED, ...STORED_KEY)

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
    // There is no other node.
    revision: () => 0,
    list: async (senderId) => select.all(senderId),
    async replace(senderId, name, rows, syncedAt) {
      // So that thousands hold up nothing else.
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await write(() => {
          const before = new Map(noted.all(senderId).map((row) => [keyOf(row), row]))
          for (const row of rows.slice(from, from + ROWS_AT_ONCE))
            run(put({ ...row, ...notesAfter(row, before.get(keyOf(row))), senderId, syncedAt }))
        })
      }
      const kept = JSON.stringify(rows.map(keyOf))
      await write(() => void drop.run({ senderId, name, kept }))
    },
    change: (senderId, row) => write(() => void run(changeTemplate(senderId, row))),
  }
}
