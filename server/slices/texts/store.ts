import { type Columns, integer, type Statements, text } from '../../store/index.ts'

export interface SavedTextRow {
  id: string
  name: string
  text: string
  changedAt: number
}

export interface SavedTextChange {
  name?: string | undefined
  text?: string | undefined
  changedAt: number
}

/** Names are unique: a second text with the same name is `taken`. */
export interface SavedTextStore {
  /** Oldest first. */
  list(): Promise<SavedTextRow[]>
  /** Resolves with `full` if there are already `most` texts. */
  add(row: SavedTextRow, most: number): Promise<'added' | 'taken' | 'full'>
  /** Resolves with the changed text. */
  change(id: string, change: SavedTextChange): Promise<SavedTextRow | 'taken' | 'unknown'>
  /** Resolves with false if there is no such text. */
  remove(id: string): Promise<boolean>
}

const SAVED_TEXT: Columns<SavedTextRow> = {
  id: text('id'),
  name: text('name'),
  text: text('text'),
  changedAt: integer('changed_at'),
}

export function createSavedTextStore({ rows, one, bind, write }: Statements): SavedTextStore {
  const byId = one(SAVED_TEXT, 'FROM saved_texts WHERE id = $1')
  const byName = one(SAVED_TEXT, 'FROM saved_texts WHERE name = $1')
  const put = bind(
    `INSERT INTO saved_texts (id, name, text, changed_at) SELECT $1, $2, $3, CAST($4 AS BIGINT)
     WHERE (SELECT count(*) FROM saved_texts) < $5 ON CONFLICT (name) DO NOTHING`,
  )
  const update = bind(
    `UPDATE saved_texts SET name = coalesce($2, name), text = coalesce($3, text), changed_at = $4
     WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM saved_texts other WHERE other.name = $2 AND other.id <> $1)`,
  )
  const remove = bind('DELETE FROM saved_texts WHERE id = $1')
  return {
    list: rows(SAVED_TEXT, 'FROM saved_texts ORDER BY id'),
    async add({ id, name, text, changedAt }, most) {
      if ((await write(put(id, name, text, changedAt, most))) > 0) return 'added'
      return (await byName(name)) === undefined ? 'full' : 'taken'
    },
    async change(id, { name = null, text = null, changedAt }) {
      const isChanged = (await write(update(id, name, text, changedAt))) > 0
      const stored = await byId(id)
      return stored === undefined ? 'unknown' : isChanged ? stored : 'taken'
    },
    remove: async (id) => (await write(remove(id))) > 0,
  }
}
