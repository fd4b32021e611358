import type { Columns, SqlValue, Written } from './columns.ts'

/** A statement that writes, with its values. */
export interface Bound {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export const bound = (sql: string, ...values: SqlValue[]): Bound => ({ sql, values })

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
  /**
   * Keeps a table in memory: `load` reads it at the start, and after each `change` of it or
   * `reload`; both resolve when it is read.
   */
  keep(
    table: KeptTable,
    load: () => Promise<void>,
  ): { change(...bound: readonly Bound[]): Promise<number>; reload(): Promise<void> }
}
