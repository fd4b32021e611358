import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { integer } from '../columns.ts'
import { asStartError } from '../postgres/errors.ts'
import { GONE_SINCE } from '../postgres/leases.ts'
import { migrate as migratePostgres } from '../postgres/migrate.ts'
import { type Connection, createPool, type Pool, placeOf } from '../postgres/pool.ts'
import { type Db, lockFolder, openDatabase, openReadOnly } from '../sqlite/database.ts'
import { migrate as migrateSqlite, versionOf } from '../sqlite/migrate.ts'
import { cameBy } from '../sqlite/move.ts'
import { migrations, sessionMigrations } from '../sqlite/schema.ts'
import { selecting } from '../sqlite/sql.ts'
import { applyStaged } from '../sqlite/staged.ts'

/**
 * The written rows differ from the read ones, or a place cannot be copied from or to. Nothing was
 * kept.
 */
export class TransferError extends Error {}

export interface OpenFolder {
  main: Db
  sessions: Db
}

/** Runs `work` with an open and locked folder. */
export async function withFolder<T>(home: string, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
  const unlock = lockFolder(home)
  // Apply a backup that waits for the next start, so that the mark of a move is not replaced
  // together with the old database.
  applyStaged(home)
  const main = openDatabase(join(home, 'kurir.db'))
  const sessions = openDatabase(join(home, 'sessions.db'))
  await migrateSqlite(main, migrations)
  await migrateSqlite(sessions, sessionMigrations)
  try {
    return await work({ main, sessions })
  } finally {
    main.close()
    sessions.close()
    unlock()
  }
}

/** True if a Kurir was ever started on the folder. */
export const isUsed = (home: string): boolean => existsSync(join(home, 'kurir.db'))

async function reach(pool: Pool, url: string): Promise<Connection> {
  try {
    await migratePostgres(url, placeOf(url))
    return await pool.connect()
  } catch (error) {
    throw asStartError(error, placeOf(url))
  }
}

/** Runs `work` with a connection; a transaction that `work` leaves open ends with it. */
export async function withServer<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  // No time limit: a large table takes long, and so does reading the other side.
  const pool = createPool({ url, connections: 1, answerWithin: 0 })
  try {
    const connection = await reach(pool, url)
    try {
      return await work(connection)
    } finally {
      connection.release(true)
    }
  } finally {
    await pool.end()
  }
}

/**
 * Returns the shop in a folder; undefined: none, because a shop has a sender from its first start.
 */
export function shopIn(home: string): { cameBy: string | undefined } | undefined {
  if (!isUsed(home)) return undefined
  const db = openReadOnly(join(home, 'kurir.db'))
  try {
    const holdsSenders =
      versionOf(db) > 0 && selecting(db, { id: integer('id') })('FROM senders LIMIT 1').get() !== undefined
    return holdsSenders ? { cameBy: cameBy(db) } : undefined
  } finally {
    db.close()
  }
}

/**
 * Refuses while nodes run, because messages would be sent from both places.
 * @throws TransferError
 */
export async function refuseRunning(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ name: string }>(
    `SELECT name FROM nodes WHERE seen_at > ${GONE_SINCE} ORDER BY name`,
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw new TransferError(
    `Nodes run on this database: ${names}. Stop them all, and try again; one that was killed counts for 15 seconds.`,
  )
}
