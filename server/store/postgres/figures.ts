import { ADDING, COUNTED, entriesOf, FIGURES, type FigureStore, KEY } from '../figures.ts'
import { type Context, insertMany, type Tx } from './sql.ts'

/**
 * Writes what a transaction has noted, last of all: such a row stays locked until the commit, which
 * follows at once.
 * @param node which counts in rows of its own: one that stops here keeps no other one waiting
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
      // OFFSET 0 has each span found by the key: else the planner reads the table once for each.
      `FROM json_to_recordset($1) AS spans (since BIGINT, until BIGINT) CROSS JOIN LATERAL (
         SELECT * FROM figures WHERE pricing = '' AND quarter >= since AND quarter < until OFFSET 0) AS found
       GROUP BY since, sender_id, channel, reason`,
      [JSON.stringify(spans)],
    )
