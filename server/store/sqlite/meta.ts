import type { MetaName, MetaStore } from '../meta.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting, text } from './sql.ts'

/**
 * What this engine keeps about itself: how far the search index reaches, when it last wrote, how far the PC's clock was
 * set, what is written to try the disk, and a `VACUUM` that is due.
 */
type EngineName = MetaName | 'searched_up_to' | 'marked_at' | 'clock_set' | 'probe' | 'vacuum'

export interface SqliteMeta extends MetaStore {
  read(name: EngineName): string | undefined
  put(tx: Tx, name: EngineName, value: string): void
  /** Inside a transaction of the caller's own. */
  putNow(name: EngineName, value: string): void
  removeNow(name: EngineName): void
  remove(tx: Tx, name: EngineName): void
}

export function createMeta(db: Db, write: Write): SqliteMeta {
  const select = selecting<{ value: string }>(db, { value: text('value') })<[string]>('FROM meta WHERE name = ?')
  const put = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  const read = (name: EngineName) => select.get(name)?.value
  const known = new Map<EngineName, string | undefined>()

  return {
    read,
    put: (_tx, name, value) => void put.run(name, value),
    putNow(name, value) {
      known.delete(name)
      put.run(name, value)
    },
    removeNow(name) {
      known.delete(name)
      remove.run(name)
    },
    remove: (_tx, name) => void remove.run(name),
    get(name) {
      if (!known.has(name)) known.set(name, read(name))
      return known.get(name)
    },
    async save(name, value) {
      await write(() => put.run(name, value))
      known.set(name, value)
    },
  }
}
