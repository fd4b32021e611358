import { MOVED_BY, MOVED_TO, type Move, PAUSE_WAITING, readMove } from '../move.ts'
import type { Db } from './database.ts'
import { metaValues } from './sql.ts'

/** Returns the move that left this folder; undefined: it was not left. */
export const moveOf = (db: Db): Move | undefined => readMove(metaValues(db).get(MOVED_TO))

/** Returns the id of the move that filled this folder. */
export const cameBy = (db: Db): string | undefined => metaValues(db).get(MOVED_BY)

export const noteArrival = (db: Db, { id }: Move): void => metaValues(db).put(MOVED_BY, id)

/**
 * Marks the folder as left, so that nothing starts on it. The mark is on disk when this returns,
 * unless the caller has an open transaction.
 */
export const markMoved = (db: Db, move: Move): void => metaValues(db).put(MOVED_TO, JSON.stringify(move))

/** Removes the mark, and pauses senders with waiting messages. */
export const unmarkMoved = (db: Db): void =>
  db
    .transaction(() => {
      db.exec(PAUSE_WAITING)
      metaValues(db).remove(MOVED_TO)
    })
    .immediate()
