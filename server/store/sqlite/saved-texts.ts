import { changedText, SAVED_TEXT, type SavedTextStore } from '../saved-texts.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export function createSavedTexts(db: Db, write: Write): SavedTextStore {
  const select = selecting(db, SAVED_TEXT)
  const all = select('FROM saved_texts ORDER BY id')
  const one = select<[string]>('FROM saved_texts WHERE id = ?')
  const named = select<[string]>('FROM saved_texts WHERE name = ?')
  const insert = db.prepare(
    'INSERT INTO saved_texts (id, name, text, changed_at) VALUES (@id, @name, @text, @changedAt)',
  )
  const update = db.prepare('UPDATE saved_texts SET name = @name, text = @text, changed_at = @changedAt WHERE id = @id')
  const remove = db.prepare('DELETE FROM saved_texts WHERE id = ?')
  return {
    list: async () => all.all(),
    add: (row, most) =>
      write(() => {
        if (named.get(row.name) !== undefined) return 'taken'
        if (all.all().length >= most) return 'full'
        insert.run(row)
        return 'added'
      }),
    change: (id, change) =>
      write(() => {
        const before = one.get(id)
        if (before === undefined) return 'unknown'
        const after = changedText(before, change)
        if ((named.get(after.name)?.id ?? id) !== id) return 'taken'
        update.run(after)
        return after
      }),
    remove: (id) => write(() => remove.run(id).changes > 0),
  }
}
