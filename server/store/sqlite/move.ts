import { text } from '../columns.ts'
import { MOVED_BY, MOVED_TO, type Move, PAUSE_WAITING, readMove } from '../move.ts'
import type { Db } from './database.ts'
import { selecting } from './sql.ts'

const metaOf = (db: Db, name: string): string | undefined =>
  selecting<{ value: string }>(db, { value: text('value') })<[string]>('FROM meta WHERE name = ?').get(name)?.value

const put = (db: Db, name: string, value: string): void =>
  void db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run(name, value)

/** The move of this folder; undefined: it was not left. */
export const moveOf = (db: Db): Move | undefined => readMove(metaOf(db, MOVED_TO))

/** By which move everything came here. */
export const cameBy = (db: Db): string | undefined => metaOf(db, MOVED_BY)

export const noteArrival = (db: Db, { id }: Move): void => put(db, MOVED_BY, id)

/**
 * Nothing is started on this folder from here on. On disk when it returns, unless in a transaction
 * of the caller's own.
 */
export const markMoved = (db: Db, move: Move): void => put(db, MOVED_TO, JSON.stringify(move))

/** Takes the mark away. */
export const unmarkMoved = (db: Db): void =>
  db
    .transaction(() => {
      db.exec(PAUSE_WAITING)
      db.prepare('DELETE FROM meta WHERE name = ?').run(MOVED_TO)
    })
    .immediate()
