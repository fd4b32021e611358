import { type Columns, integer, integerOrNull, text, textOrNull } from './columns.ts'
/** A call of a program that was answered with an error. */
export interface RefusedCallRow {
  seq: number
  at: number
  /** Number of the API key; null where none was recognised. */
  keyNumber: number | null
  address: string
  method: string
  /** As the route is written, with `{name}` for what varies. */
  path: string
  status: number
  code: string
  field: string | null
  /** Code of what was wrong with the field. */
  problem: string | null
  recipient: string | null
}

export interface RefusedCallStore {
  /** Newest first; `before` is a `seq`. */
  list(filter: { before: number | undefined; limit: number }): Promise<RefusedCallRow[]>

  /** Keeps the newest `most` of all, and of those without a key the newest `mostWithoutKey`. */
  add(calls: readonly Omit<RefusedCallRow, 'seq'>[], most: number, mostWithoutKey: number): Promise<void>
}

export const REFUSED_CALL: Columns<RefusedCallRow> = {
  seq: integer('seq'),
  at: integer('at'),
  keyNumber: integerOrNull('key_number'),
  address: text('address'),
  method: text('method'),
  path: text('path'),
  status: integer('status'),
  code: text('code'),
  field: textOrNull('field'),
  problem: textOrNull('problem'),
  recipient: textOrNull('recipient'),
}
