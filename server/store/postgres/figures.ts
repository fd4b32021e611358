import { ADDING, COUNTED, entriesOf, FIGURES, type FigureStore, KEY } from '../figures.ts'
import { type Context, insertMany, type Tx } from './sql.ts'

/**
 * Writes the noted entries as the last statement of a transaction, because their rows stay locked
 * until the commit, which follows at once.
 * @param node counts in rows of its own, so that a node that stops here keeps no other waiting
 */
export function writeFigures(tx: Tx, node: string): void {
  const entries = entriesOf(tx.noted)
  if (entries.length === 0) return
  void insertMany(tx, 'figures', { ...KEY, node: () => node, ...COUNTED }, entries, ADDING)
}

export const readingFigures =
  ({ db }: Context): FigureStore['of'] =>
  (spans) =>
    db.rows(
      FIGURES,
      // OFFSET 0 makes the planner find each span by the key; otherwise it reads the table once for
      // each span.
      `FROM json_to_recordset($1) AS spans (since BIGINT, until BIGINT) CROSS JOIN LATERAL (
         SELECT * FROM figures WHERE pricing = '' AND quarter >= since AND quarter < until OFFSET 0) AS found
       GROUP BY since, sender_id, channel, reason`,
      [JSON.stringify(spans)],
    )
