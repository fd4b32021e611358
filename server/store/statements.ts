import { type Columns, placesOf, type SqlValue, valuesOf, type Written } from './columns.ts'

/** One step of a schema. The version rises by one from step to step; each engine counts its own. */
export interface Migration {
  version: number
  sql: string
}

/** A statement that writes, with its values. */
export interface Bound {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export const bound = (sql: string, ...values: SqlValue[]): Bound => ({ sql, values })

/** An INSERT of one row. @param then what follows the values, such as ON CONFLICT */
export function inserting<Row>(table: string, columns: Written<Row>, then = ''): (row: Row) => Bound {
  const sql = `INSERT INTO ${table} (${Object.keys(columns)}) VALUES (${placesOf(columns)}) ${then}`
  return (row) => ({ sql, values: valuesOf(columns, row) })
}

/** The end of an INSERT that takes the place of the row that has its `key`. */
export function inPlace(columns: object, ...key: string[]): string {
  const changes = Object.keys(columns).flatMap((name) => (key.includes(name) ? [] : [`${name} = excluded.${name}`]))
  return `ON CONFLICT (${key}) DO UPDATE SET ${changes}`
}

/** An INSERT of one row, which takes the place of the one that has its `key`. */
export const putting = <Row>(table: string, columns: Written<Row>, ...key: string[]): ((row: Row) => Bound) =>
  inserting(table, columns, inPlace(columns, ...key))

/** An UPDATE of the row with this `id`. */
export function overwriting<Row extends { id: number | string }>(
  table: string,
  columns: Written<Row>,
): (row: Row) => Bound {
  const names = Object.keys(columns)
  const sql = `UPDATE ${table} SET ${names.map((name, i) => `${name} = $${i + 1}`)} WHERE id = $${names.length + 1}`
  return (row) => ({ sql, values: [...valuesOf(columns, row), row.id] })
}

/** Tables that are kept in memory. */
export type KeptTable =
  | 'api_keys'
  | 'meta'
  | 'owner_sessions'
  | 'senders'
  | 'settings'
  | 'templates'
  | 'webhook_endpoints'

/** Statements that read. Each is prepared when it is declared. */
export interface Reads {
  /** Reads rows of these columns. @param rest of the statement, from FROM on */
  rows<Row extends object>(columns: Columns<Row>, rest: string): (...values: SqlValue[]) => Promise<Row[]>
  one<Row extends object>(columns: Columns<Row>, rest: string): (...values: SqlValue[]) => Promise<Row | undefined>
}

/**
 * Statements that both engines understand as they are, with `$1`, `$2` … for their values: a noun
 * that needs no others is written once. What decides between a read and a write is in the folders
 * of the engines.
 */
export interface Statements extends Reads {
  bind(sql: string): (...values: SqlValue[]) => Bound
  /** @param then what follows the values, such as ON CONFLICT */
  insert<Row>(table: string, columns: Written<Row>, then?: string): (rows: readonly Row[]) => Bound[]
  /**
   * Runs these in one transaction; resolves, when it is on disk, with how many rows the last one
   * changed.
   */
  write(...bound: readonly Bound[]): Promise<number>
  /** The same; resolves with the number of each. */
  writeEach(...bound: readonly Bound[]): Promise<number[]>
  /**
   * Keeps a table in memory: `load` reads it at the start, and after each `change` of it or
   * `reload`; both resolve when it is read.
   */
  keep(
    table: KeptTable,
    load: () => Promise<void>,
  ): { change(...bound: readonly Bound[]): Promise<number>; reload(): Promise<void> }
}
