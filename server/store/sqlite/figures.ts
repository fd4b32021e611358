import { setImmediate } from 'node:timers/promises'
import { integer } from '../columns.ts'
import {
  ADDING,
  COUNTED,
  entriesOf,
  FIGURES,
  type FigureStore,
  type Figures,
  KEY,
  type Noted,
  type Span,
} from '../figures.ts'
import type { Db } from './database.ts'
import { type Context, inserting, selecting } from './sql.ts'

export function writingFigures(db: Db): (noted: Noted) => void {
  const add = inserting(db, 'figures', { ...KEY, node: () => '', ...COUNTED }, ADDING)
  return (noted) => {
    for (const entry of entriesOf(noted)) add(entry)
  }
}

/** Reads one span after the other, and lets other calls run between them. */
export function readingFigures({ db }: Context): FigureStore['of'] {
  const sums = selecting(db, { ...FIGURES, since: integer('@since') })<[Span]>(
    `FROM figures WHERE pricing = '' AND quarter >= @since AND quarter < @until GROUP BY sender_id, channel, reason`,
  )
  return async (spans) => {
    const rows: Figures[] = []
    for (const span of spans) {
      rows.push(...sums.all(span))
      if (span !== spans.at(-1)) await setImmediate()
    }
    return rows
  }
}
