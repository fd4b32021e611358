import { text } from '../columns.ts'
import type { Db } from './database.ts'
import { selecting } from './sql.ts'

export type MetaValues = ReturnType<typeof metaValues>

/** Values of the table `meta` in the file, which memory does not hear of. */
export function metaValues(db: Db) {
  const value = selecting(db, { value: text('value') })<[string]>('FROM meta WHERE name = ?')
  const put = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  return {
    get: (name: string): string | undefined => value.get(name)?.value,
    put: (name: string, content: string) => void put.run(name, content),
    remove: (name: string) => void remove.run(name),
  }
}
