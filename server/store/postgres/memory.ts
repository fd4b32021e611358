import type { Connection, Pool } from './pool.ts'
import type { Remember } from './sql.ts'

// A queue that is read every second may be long. After a read the next one waits REST times as long
// as the read took, but at most LONGEST_REST.
const REST = 50
const LONGEST_REST = 10_000

/** Cached data: the tables that it comes from, and how to read it again. */
interface Remembered {
  tables: readonly string[]
  load: () => Promise<void>
  /** By `performance.now()`. */
  notBefore: number
}

/**
 * Caches tables of the database in each node. A change of a table raises its version in the same
 * transaction, and each node reads tables again whose version changed since its last read.
 */
export function createMemory(server: Pool) {
  const memory = new Set<Remembered>()
  const versions = new Map<string, number>()

  async function versionsNow(): Promise<Map<string, number>> {
    const { rows } = await server.query<{ name: string; version: number }>('SELECT name, version FROM table_versions')
    return new Map(rows.map(({ name, version }) => [name, version]))
  }

  const remember: Remember = (tables, load) => {
    const loadNow = inTurn(load)
    memory.add({ tables, load: loadNow, notBefore: 0 })
    return loadNow
  }

  return {
    remember,
    /** Reads everything for the first time. Later changes are read again. */
    async begin(): Promise<void> {
      for (const [name, version] of await versionsNow()) versions.set(name, version)
      for (const { load } of memory) await load()
    },
    /** Returns the cached tables among those that a transaction wrote. */
    changedBy(written: ReadonlySet<string>): string[] {
      const tables = [...memory].flatMap((each) => each.tables)
      return [...new Set(tables)].filter((table) => written.has(table)).sort()
    },
    /** Reads changed tables again. Resolves with their names. */
    async refresh(): Promise<string[]> {
      const current = await versionsNow()
      const changed = [...current].filter(([name, version]) => versions.get(name) !== version).map(([name]) => name)
      for (const each of memory) {
        const began = performance.now()
        const isDue = each.tables.length === 0 && began >= each.notBefore
        if (!isDue && !each.tables.some((table) => changed.includes(table))) continue
        await each.load()
        each.notBefore = began + Math.min(LONGEST_REST, REST * (performance.now() - began))
      }
      for (const [name, version] of current) versions.set(name, version)
      return changed
    },
  }
}

/**
 * Runs one load at a time, so that the answer of an earlier one does not replace that of a later
 * one. Calls during a load share the next one.
 */
function inTurn(load: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        running = load()
        return running
      })
    return next
  }
}

/** Raises the versions of tables, before the commit of the transaction that changed them. */
export const raiseVersions = (connection: Connection, tables: readonly string[]) =>
  connection.query(
    `INSERT INTO table_versions (name, version) SELECT unnest($1::text[]), 1
     ON CONFLICT (name) DO UPDATE SET version = table_versions.version + 1`,
    [tables],
  )
