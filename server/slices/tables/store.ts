import { z } from 'zod'
import { type Failure, failure } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'
import {
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  type Statements,
  text,
  textOrNull,
  writing,
} from '../../store/index.ts'

/** A new table is `reading`, then `draft`, then `planned` (can be undone), then `going`. */
export type TableState = 'reading' | 'draft' | 'planned' | 'going' | 'paused' | 'cancelled'

export interface NewTable {
  id: string
  name: string
  columns: string[]
  state: TableState
  rows: number
  createdAt: number
}

export interface TableRow extends NewTable {
  /** The worker has something left to do: rows to accept, or messages to take back. */
  busy: boolean
  changedAt: number
  /** Time of the owner's confirmation. */
  plannedAt: number | null
}

export interface NewTableLine {
  /** Position in the table, from 1. */
  row: number
  /** Line number in the file. */
  line: number
  cells: string[]
}

/** A row's progress. */
export interface TableMark {
  row: number
  /**
   * Number of times that the row's message was taken back or repeated; part of the next message's
   * id.
   */
  tries: number
  /** Null: no message was accepted. */
  messageId: string | null
  /** JSON of a RowRefusal; null: the row was not refused. */
  refusal: string | null
  /** The row's message is being removed from the queue. */
  taken: boolean
}

/** A row together with the state of its message. */
export interface TableLine extends NewTableLine, TableMark {
  recipient: string | null
  status: Status | null
  attempts: number | null
  occurredAt: number | null
  error: Failure | null
  kind: Kind
}

/**
 * `waiting`: not accepted yet. `stopped`: never accepted, because the table was cancelled.
 * `removed`: the message was deleted after its retention.
 */
type Kind = Status | 'refused' | 'waiting' | 'stopped' | 'removed'
export type TableKinds = readonly Kind[]

export interface TableTally {
  kind: Kind
  count: number
}

export interface TableChange {
  state: TableState
  busy: boolean
  at: number
  /** JSON of a StoredPlan. */
  plan?: string
  plannedAt?: number | null
}

export interface TableStore {
  /**
   * Adds a table, and removes the oldest finished one if there are `most`. `full`: none is
   * finished.
   */
  add(table: NewTable, most: number): Promise<'added' | 'full'>
  addLines(id: string, lines: readonly NewTableLine[]): Promise<void>
  find(id: string): Promise<TableRow | undefined>
  /** Newest first. */
  list(): Promise<TableRow[]>
  /** Resolves with the JSON of a StoredPlan; null: the table was never planned. */
  planOf(id: string): Promise<string | null>
  /** Changes the state. Resolves with false if the state is not `from`. */
  move(id: string, from: TableState, change: TableChange): Promise<boolean>
  /** Resolves with rows behind `after`; without `kinds` rows of every kind. */
  lines(id: string, after: number, limit: number, kinds?: TableKinds): Promise<TableLine[]>
  /** Resolves with rows that have no message and no refusal. */
  waiting(id: string, after: number, limit: number): Promise<TableLine[]>
  mark(id: string, marks: readonly TableMark[]): Promise<void>
  /** Counts the rows behind `after` by kind, up to `limit` rows. */
  tally(id: string, after: number, limit: number): Promise<TableTally[]>
  /**
   * Removes up to `most` rows of old tables in which nothing waits, then tables without rows.
   * Resolves with the number of both.
   */
  forget(before: number, most: number): Promise<number>
  /**
   * Removes a draft, after which a dropped file counts as not sent. Resolves with false if the
   * table is no draft.
   */
  remove(id: string): Promise<boolean>
}

const texts = z.array(z.string())

const TABLE: Columns<TableRow> = {
  id: text('id'),
  name: text('name'),
  columns: json('columns', texts),
  state: text('state'),
  busy: flag('busy'),
  rows: integer('row_count'),
  createdAt: integer('created_at'),
  changedAt: integer('changed_at'),
  plannedAt: integerOrNull('planned_at'),
}

/** SQL for the kind of a row. */
const KIND = `CASE WHEN r.refusal IS NOT NULL THEN 'refused'
  WHEN r.message_id IS NULL THEN CASE t.state WHEN 'cancelled' THEN 'stopped' ELSE 'waiting' END
  ELSE coalesce(m.status, 'removed') END`

const TABLE_LINE: Columns<TableLine> = {
  row: integer('r.row_number'),
  line: integer('r.line'),
  cells: json('r.cells', texts),
  tries: integer('r.tries'),
  messageId: textOrNull('r.message_id'),
  refusal: textOrNull('r.refusal'),
  taken: flag('r.taken'),
  recipient: textOrNull('m.recipient'),
  status: textOrNull('m.status'),
  attempts: integerOrNull('m.attempts'),
  occurredAt: integerOrNull('m.occurred_at'),
  error: jsonOrNull('m.error', failure),
  kind: text(KIND),
}

const TABLE_TALLY: Columns<TableTally> = { kind: text(KIND), count: integer('count(*)') }

const FROM_LINES = `FROM send_table_rows r JOIN send_tables t ON t.id = r.table_id
  LEFT JOIN messages m ON m.id = r.message_id`

const NEW_LINE: Columns<NewTableLine & { id: string }> = {
  id: text('table_id'),
  row: integer('row_number'),
  line: integer('line'),
  cells: json('cells', texts),
}

/** SQL condition: no message of the table waits, and no row waits for one. */
const NOTHING_WAITS = `t.busy = 0 AND NOT EXISTS (
  SELECT 1 FROM send_table_rows w LEFT JOIN messages m ON m.id = w.message_id
  WHERE w.table_id = t.id AND (m.next_at IS NOT NULL
    OR (t.state = 'paused' AND w.message_id IS NULL AND w.refusal IS NULL)))`

/** SQL for finished tables from before `$1`. */
const OLD_TABLES = `SELECT t.id FROM send_tables t WHERE t.changed_at < $1 AND ${NOTHING_WAITS}`

export function createTableStore({ rows, one, bind, insert, write, writeEach }: Statements): TableStore {
  const add = bind(
    `INSERT INTO send_tables (id, name, columns, state, row_count, created_at, changed_at)
     SELECT $1, $2, $3, $4, CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($6 AS BIGINT)
     WHERE (SELECT count(*) FROM send_tables) < $7`,
  )
  const makeRoom = bind(
    `DELETE FROM send_tables WHERE id = (SELECT t.id FROM send_tables t
       WHERE (SELECT count(*) FROM send_tables) >= $1 AND t.planned_at IS NOT NULL AND ${NOTHING_WAITS}
       ORDER BY t.id LIMIT 1)`,
  )
  const addLines = insert('send_table_rows', writing(NEW_LINE))
  const planOf = one<{ plan: string | null }>({ plan: textOrNull('plan') }, 'FROM send_tables WHERE id = $1')
  const move = bind(
    `UPDATE send_tables SET state = $3, busy = $4, changed_at = $5, plan = coalesce($6, plan),
       planned_at = CASE WHEN $7 = 1 THEN $8 ELSE planned_at END WHERE id = $1 AND state = $2`,
  )
  const mark = bind(
    `UPDATE send_table_rows SET tries = $3, message_id = $4, refusal = $5, taken = $6
     WHERE table_id = $1 AND row_number = $2`,
  )
  const draft = `id = $1 AND state IN ('reading', 'draft')`
  // Locks the row, so that nobody sends the table meanwhile.
  const lock = bind(`UPDATE send_tables SET state = state WHERE ${draft}`)
  const forget = bind(
    `UPDATE drops SET row_count = 0 WHERE id = $1 AND EXISTS (SELECT 1 FROM send_tables WHERE ${draft})`,
  )
  const remove = bind(`DELETE FROM send_tables WHERE ${draft}`)
  const forgetLines = bind(
    `DELETE FROM send_table_rows WHERE (table_id, row_number) IN (
       SELECT table_id, row_number FROM send_table_rows WHERE table_id IN (${OLD_TABLES}) LIMIT $2)`,
  )
  const forgetEmpty = bind(
    `DELETE FROM send_tables WHERE id IN (${OLD_TABLES}) AND id NOT IN (SELECT table_id FROM send_table_rows)`,
  )
  const tally = rows(
    TABLE_TALLY,
    `${FROM_LINES} WHERE r.table_id = $1 AND r.row_number > $2 AND r.row_number <= $3 GROUP BY 1`,
  )
  const lines = rows(
    TABLE_LINE,
    `${FROM_LINES} WHERE r.table_id = $1 AND r.row_number > $2 ORDER BY r.row_number LIMIT $3`,
  )
  const linesOf = rows(
    TABLE_LINE,
    `${FROM_LINES} WHERE r.table_id = $1 AND r.row_number > $2 AND $4 LIKE '%,' || ${KIND} || ',%'
     ORDER BY r.row_number LIMIT $3`,
  )
  return {
    add: async ({ id, name, columns, state, rows: count, createdAt }, most) =>
      (await write(makeRoom(most), add(id, name, JSON.stringify(columns), state, count, createdAt, most))) > 0
        ? 'added'
        : 'full',
    addLines: async (id, lines) => void (await write(...addLines(lines.map((line) => ({ ...line, id }))))),
    find: one(TABLE, 'FROM send_tables WHERE id = $1'),
    list: rows(TABLE, 'FROM send_tables ORDER BY id DESC'),
    planOf: async (id) => (await planOf(id))?.plan ?? null,
    move: async (id, from, { state, busy, at, plan = null, plannedAt }) =>
      (await write(move(id, from, state, Number(busy), at, plan, Number(plannedAt !== undefined), plannedAt ?? null))) >
      0,
    lines: (id, after, limit, kinds) =>
      kinds === undefined ? lines(id, after, limit) : linesOf(id, after, limit, `,${kinds.join()},`),
    waiting: rows(
      TABLE_LINE,
      `${FROM_LINES} WHERE r.table_id = $1 AND r.row_number > $2 AND r.message_id IS NULL AND r.refusal IS NULL
       ORDER BY r.row_number LIMIT $3`,
    ),
    async mark(id, marks) {
      if (marks.length === 0) return
      await write(
        ...marks.map(({ row, tries, messageId, refusal, taken }) =>
          mark(id, row, tries, messageId, refusal, Number(taken)),
        ),
      )
    },
    tally: (id, after, limit) => tally(id, after, after + limit),
    async forget(before, most) {
      const [lines = 0, tables = 0] = await writeEach(forgetLines(before, most), forgetEmpty(before))
      return lines + tables
    },
    remove: async (id) => (await write(lock(id), forget(id), remove(id))) > 0,
  }
}
