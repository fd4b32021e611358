import { StorageError } from '../../lib/storage-error.ts'
import { text } from '../columns.ts'
import type { MetaName, MetaStore } from '../meta.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

/**
 * Values that this engine keeps about itself: how far the search index reaches, how far the PC's
 * clock was set, and what is written to try the disk.
 */
type EngineName = MetaName | 'searched_up_to' | 'clock_set' | 'probe'

export interface MetaStatements extends MetaStore {
  read(name: EngineName): string | undefined
  put(tx: Tx, name: EngineName, value: string): void
  /** Inside a transaction of the caller's own. */
  putNow(name: EngineName, value: string): void
  removeNow(name: EngineName): void
  remove(tx: Tx, name: EngineName): void
}

export function createMeta(db: Db, write: Write): MetaStatements {
  const select = selecting<{ value: string }>(db, { value: text('value') })<[string]>('FROM meta WHERE name = ?')
  const put = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  const keep = db.prepare('INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM meta WHERE name = ?')
  const read = (name: EngineName) => select.get(name)?.value
  const all = selecting<{ name: string; value: string }>(db, { name: text('name'), value: text('value') })('FROM meta')
  let known = new Map<string, string>()
  function reload(): void {
    known = new Map(all.all().map(({ name, value }) => [name, value]))
  }
  reload()

  return {
    read,
    put: (_tx, name, value) => void put.run(name, value),
    putNow(name, value) {
      known.set(name, value)
      put.run(name, value)
    },
    removeNow(name) {
      known.delete(name)
      remove.run(name)
    },
    remove: (_tx, name) => void remove.run(name),
    get: (name) => known.get(name),
    async save(name, value) {
      await write(() => put.run(name, value))
      reload()
    },
    async keep(name, value) {
      const kept = await write(() => {
        keep.run(name, value)
        return read(name) ?? value
      })
      reload()
      return kept
    },
  }
}

const ENOUGH = 64 * 1024

/** Tries whether there is room for more than a few bytes: writes and removes them. */
export const createProbe = (write: Write, meta: MetaStatements) => async (): Promise<boolean> => {
  try {
    await write((tx) => meta.put(tx, 'probe', 'x'.repeat(ENOUGH)))
    await write((tx) => meta.remove(tx, 'probe'))
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
