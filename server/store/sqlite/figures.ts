import { setImmediate } from 'node:timers/promises'
import { DAY, HOUR } from '../../lib/time.ts'
import { integer } from '../columns.ts'
import { COUNTED, entriesOf, FIGURES, type FigureStore, type Figures, KEY, type Noted, type Span } from '../figures.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { adding, selecting } from './sql.ts'

/** Writes what a transaction has noted. */
export function writingFigures(db: Db): (noted: Noted) => void {
  const add = adding(db, 'figures', { ...KEY, node: () => '' }, COUNTED)
  return (noted) => {
    for (const entry of entriesOf(noted)) add(entry)
  }
}

export function createFigures(db: Db, write: Write) {
  const sums = selecting(db, { ...FIGURES, since: integer('@since') })<[Span]>(
    `FROM figures WHERE pricing = '' AND quarter >= @since AND quarter < @until GROUP BY sender_id, channel, reason`,
  )
  const forget = db.prepare<[{ ms: number }]>(
    `DELETE FROM figures WHERE pricing = '' AND quarter < min(@ms,
       ifnull((SELECT min(created_at) FROM messages), @ms) - ${HOUR},
       (SELECT min(quarter) FROM figures WHERE pricing = '') + ${DAY})`,
  )
  return {
    // One span after the other: others get their turn in between.
    async of(spans) {
      const rows: Figures[] = []
      for (const span of spans) {
        rows.push(...sums.all(span))
        if (span !== spans.at(-1)) await setImmediate()
      }
      return rows
    },
    forget: (ms) => write(() => forget.run({ ms }).changes),
  } satisfies Partial<FigureStore>
}
