import { changedText, SAVED_TEXT, type SavedTextStore } from '../saved-texts.ts'
import type { Context, Tx } from './sql.ts'

export function createSavedTexts({ db, write }: Context): SavedTextStore {
  const named = (tx: Tx, name: string) => tx.one(SAVED_TEXT, 'FROM saved_texts WHERE name = $1', [name])
  /** Two nodes that save at once do it one after the other. */
  const lock = (tx: Tx) => tx.run('LOCK TABLE saved_texts IN SHARE ROW EXCLUSIVE MODE')
  return {
    list: () => db.rows(SAVED_TEXT, 'FROM saved_texts ORDER BY id'),
    add: ({ id, name, text, changedAt }, most) =>
      write(async (tx) => {
        await lock(tx)
        if ((await named(tx, name)) !== undefined) return 'taken'
        if ((await tx.rows(SAVED_TEXT, 'FROM saved_texts')).length >= most) return 'full'
        await tx.run('INSERT INTO saved_texts (id, name, text, changed_at) VALUES ($1, $2, $3, $4)', [
          ...[id, name, text, changedAt],
        ])
        return 'added'
      }),
    change: (id, change) =>
      write(async (tx) => {
        await lock(tx)
        const before = await tx.one(SAVED_TEXT, 'FROM saved_texts WHERE id = $1', [id])
        if (before === undefined) return 'unknown'
        const after = changedText(before, change)
        if (((await named(tx, after.name))?.id ?? id) !== id) return 'taken'
        await tx.run('UPDATE saved_texts SET name = $2, text = $3, changed_at = $4 WHERE id = $1', [
          ...[id, after.name, after.text, after.changedAt],
        ])
        return after
      }),
    remove: async (id) => (await write((tx) => tx.run('DELETE FROM saved_texts WHERE id = $1', [id]))) > 0,
  }
}
