import { basename, join } from 'node:path'
import { movedError } from '../move.ts'
import type { Engine, Holding, Remember } from '../statements/engine.ts'
import { createTables } from '../statements/tables.ts'
import type { Store } from '../store.ts'
import { removeCopies } from './copies.ts'
import { type Db, openDatabase } from './database.ts'
import { watchFiles } from './files.ts'
import { createGroupCommit, SOON } from './group-commit.ts'
import { migrate, versionOf } from './migrate.ts'
import { moveOf } from './move.ts'
import { migrations, sessionMigrations } from './schema.ts'
import { createScrub } from './scrub.ts'
import { createSealed } from './sealed.ts'
import { createSessions } from './sessions.ts'
import { applyStaged } from './staged.ts'
import { createTime } from './time.ts'
import { createWordIndex } from './words.ts'

// Copied in one turn of the event loop: 2 MiB, so that nothing else waits long.
const PAGES = 512

// Looked through in half a millisecond.
const ROWS_AT_ONCE = 1_000

export interface SqliteOptions {
  /** The data folder. */
  home: string
  now: () => number
  /**
   * Milliseconds that a write which is not urgent waits for others to share its commit; 0 where a
   * test moves the time.
   */
  soon?: number | undefined
  /** Gets the open main database before it is used; for tests. */
  opened?: ((db: Db) => void) | undefined
}

/**
 * Opens the store in the data folder, brought up to date.
 * @throws StorageError, a sentence for the owner
 */
export async function openSqlite({ home, now, soon = SOON, opened }: SqliteOptions): Promise<Store> {
  const open: Db[] = []
  const close = () => {
    for (const each of open.reverse()) each.close()
  }
  try {
    applyStaged(home)
    const main = openDatabase(join(home, 'kurir.db'))
    open.push(main)
    await migrate(main, migrations)
    const move = moveOf(main)
    if (move !== undefined) throw movedError(move, home)
    const sessions = openDatabase(join(home, 'sessions.db'))
    open.push(sessions)
    await migrate(sessions, sessionMigrations)
    opened?.(main)
    return createStore({ home, main, sessions, now, soon, close })
  } catch (error) {
    close()
    throw error
  }
}

interface Opened {
  home: string
  main: Db
  sessions: Db
  now: () => number
  soon: number
  close: () => void
}

/** There is no other node: what is in memory is right until this one writes. */
const remember: Remember = (_tables, load) => {
  load()
  return async () => load()
}

const holding: Holding = () => () => {}

function createStore({ home, main: db, sessions, now, soon, close }: Opened): Store {
  const files = watchFiles([db.name, sessions.name], now)
  const { write, drain, problem } = createGroupCommit(db, soon, files.problem)
  // Frames wait for each of these commits: what comes in one turn is enough.
  const sessionWrites = createGroupCommit(sessions, soon, () => null, 1)
  const engine: Engine = {
    db,
    rowsAtOnce: ROWS_AT_ONCE,
    node: '',
    write,
    remember,
    holding,
    inTurn: () => {},
    writeTogether: (work) => write(work),
    afterOpenWrites: async () => true,
    fence: () => {},
  }
  const { probe, ...tables } = createTables(engine, createWordIndex(db), now)
  const { meta } = tables
  const reload = async () => {
    await tables.senders.reload()
    await tables.endpoints.reload()
  }
  return {
    ...tables,
    retention: { ...tables.retention, scrub: createScrub(db, sessions, write) },
    sessions: createSessions(sessions, sessionWrites),
    sealed: createSealed({ db, sessions, drain, meta, reload: () => void reload() }),
    time: createTime({ db, drain, meta }),
    nodes: null,
    fileBytes: null,
    versions: () => ({ kurir: versionOf(db), sessions: versionOf(sessions) }),
    problem,
    async probe() {
      files.check()
      return probe()
    },
    bytes: async () => {
      const [pages, size] = ['page_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })))
      return (pages ?? 0) * (size ?? 0)
    },
    removeCopies: (before) => removeCopies(home, before),
    async copyTo(folder) {
      for (const each of [db, sessions]) await each.backup(join(folder, basename(each.name)), { progress: () => PAGES })
    },
    async close() {
      drain()
      sessionWrites.drain()
      close()
    },
  }
}
