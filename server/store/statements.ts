import { type Columns, placesOf, type SqlValue, valuesOf, type Written } from './columns.ts'

/** One step of a schema. Versions rise by one from step to step; each engine has its own. */
export interface Migration {
  version: number
  sql: string
}

/** A writing statement with its values. */
export interface Bound {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export const bound = (sql: string, ...values: SqlValue[]): Bound => ({ sql, values })

/**
 * Returns a function that makes an INSERT of one row.
 * @param then the end of the statement, such as ON CONFLICT
 */
export function inserting<Row>(table: string, columns: Written<Row>, then = ''): (row: Row) => Bound {
  const sql = `INSERT INTO ${table} (${Object.keys(columns)}) VALUES (${placesOf(columns)}) ${then}`
  return (row) => ({ sql, values: valuesOf(columns, row) })
}

/** Returns the end of an INSERT that replaces the row with the same `key`. */
export function inPlace(columns: object, ...key: string[]): string {
  const changes = Object.keys(columns).flatMap((name) => (key.includes(name) ? [] : [`${name} = excluded.${name}`]))
  return `ON CONFLICT (${key}) DO UPDATE SET ${changes}`
}

/**
 * Returns a function that makes an INSERT of one row, which replaces the row with the same `key`.
 */
export const putting = <Row>(table: string, columns: Written<Row>, ...key: string[]): ((row: Row) => Bound) =>
  inserting(table, columns, inPlace(columns, ...key))

/** Returns a function that makes an UPDATE of the row with the given `id`. */
export function overwriting<Row extends { id: number | string }>(
  table: string,
  columns: Written<Row>,
): (row: Row) => Bound {
  const names = Object.keys(columns)
  const sql = `UPDATE ${table} SET ${names.map((name, i) => `${name} = $${i + 1}`)} WHERE id = $${names.length + 1}`
  return (row) => ({ sql, values: [...valuesOf(columns, row), row.id] })
}

export type KeptTable =
  | 'api_keys'
  | 'meta'
  | 'owner_sessions'
  | 'senders'
  | 'settings'
  | 'templates'
  | 'webhook_endpoints'

/** Makes reading statements. Each is prepared when it is declared. */
export interface Reads {
  /**
   * Returns a function that reads rows of these columns.
   * @param rest the statement from FROM on
   */
  rows<Row extends object>(columns: Columns<Row>, rest: string): (...values: SqlValue[]) => Promise<Row[]>
  one<Row extends object>(columns: Columns<Row>, rest: string): (...values: SqlValue[]) => Promise<Row | undefined>
}

/**
 * Statements that both engines understand unchanged, with `$1`, `$2` … for their values. A noun
 * that needs only these is written once; a noun with a decision between a read and a write is in
 * the folders of the engines.
 */
export interface Statements extends Reads {
  bind(sql: string): (...values: SqlValue[]) => Bound
  /** @param then the end of the statement, such as ON CONFLICT */
  insert<Row>(table: string, columns: Written<Row>, then?: string): (rows: readonly Row[]) => Bound[]
  /**
   * Runs the statements in one transaction. Resolves, when it is on disk, with the number of rows
   * that the last one changed.
   */
  write(...bound: readonly Bound[]): Promise<number>
  /** Does the same as `write`, and resolves with the number of rows of each statement. */
  writeEach(...bound: readonly Bound[]): Promise<number[]>
  /**
   * Keeps a table in memory. `load` reads the table at the start, after each `change`, and on
   * `reload`; both resolve when the table is read.
   */
  keep(
    table: KeptTable,
    load: () => Promise<void>,
  ): { change(...bound: readonly Bound[]): Promise<number>; reload(): Promise<void> }
}
