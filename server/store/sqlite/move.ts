import { MOVED_BY, MOVED_TO, type Move, PAUSE_WAITING, readMove } from '../move.ts'
import type { Db } from './database.ts'
import { metaValues } from './sql.ts'

/** The move of this folder; undefined: it was not left. */
export const moveOf = (db: Db): Move | undefined => readMove(metaValues(db).get(MOVED_TO))

/** By which move everything came here. */
export const cameBy = (db: Db): string | undefined => metaValues(db).get(MOVED_BY)

export const noteArrival = (db: Db, { id }: Move): void => metaValues(db).put(MOVED_BY, id)

/**
 * Nothing is started on this folder from here on. On disk when it returns, unless in a transaction
 * of the caller's own.
 */
export const markMoved = (db: Db, move: Move): void => metaValues(db).put(MOVED_TO, JSON.stringify(move))

/** Takes the mark away. */
export const unmarkMoved = (db: Db): void =>
  db
    .transaction(() => {
      db.exec(PAUSE_WAITING)
      metaValues(db).remove(MOVED_TO)
    })
    .immediate()
