import type { Urgency } from '../messages.ts'

/**
 * An engine, as the statements of the store need it. They are written as if every answer came at
 * once. SQLite answers at once; PostgreSQL runs a call again until it knows every answer that the
 * call asks for (see postgres/replay.ts). So each of them depends on nothing but its arguments and
 * what the database says, and changes nothing but the database.
 */
export interface Statement<P extends unknown[], Row> {
  run(...params: P): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...params: P): Row | undefined
  all(...params: P): Row[]
  iterate(...params: P): IterableIterator<Row>
}

export interface Db {
  prepare<P extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<P, Row>
}

declare const open: unique symbol

/**
 * Proof of an open transaction: only `write` provides it, and every function that is right only
 * inside one demands it.
 */
export interface Tx {
  readonly [open]: true
}

/**
 * Runs `work` inside a transaction; resolves once that is on disk. `work` may run twice and must
 * only touch the database.
 * @param subject writes of one subject run in the order in which they are asked for; without one,
 *   only where a single transaction at a time writes
 */
export type Write = <T>(work: (tx: Tx) => T, urgency?: Urgency, subject?: string) => Promise<T>

/**
 * The same for what comes in large numbers: it may share its transaction with others of one moment,
 * and be decided before what they write is there. Two that name the same thing in `apart` are not
 * in one transaction.
 */
export type WriteTogether = <T>(work: (tx: Tx) => T, apart: readonly string[]) => Promise<T>

/**
 * Keeps something in memory that is small and read often. `load` reads it from the database: now,
 * when what is returned is called (after a write), and in an engine that is shared within a second
 * after another node has changed one of `tables`; without tables, every second, or less often where
 * that takes long. `messages` changes all the time: what comes from it is read again every minute.
 */
export type Remember = (tables: readonly string[], load: () => void) => () => Promise<void>

/**
 * Prepares a SELECT whose rows a transaction holds until it ends, so that of two that decide from
 * them the second waits for the first. Where one transaction at a time writes there is nothing to
 * hold.
 */
export type Holding = <P extends unknown[]>(sql: string) => (tx: Tx, ...params: P) => void

/**
 * Named lock: the second transaction goes on when the first has ended, and sees what it wrote. For
 * what is decided from the absence of a row, where there is none to hold. Where one transaction at
 * a time writes there is nothing to wait for.
 */
export type InTurn = (tx: Tx, name: string) => void

/** Parts that the modules of the store are made with. */
export interface Engine {
  db: Db
  /**
   * Rows that a list looks through before others get their turn; without end where another process
   * does it.
   */
  rowsAtOnce: number
  /** The name of this node; empty where there is one program. */
  node: string
  write: Write
  writeTogether: WriteTogether
  remember: Remember
  holding: Holding
  inTurn: InTurn
  /**
   * Waits until every open transaction has ended that writes messages; false where one takes long.
   * Where one at a time writes there is none.
   */
  afterOpenWrites: () => Promise<boolean>
  /** Fails the transaction unless this node holds the sender when it is committed. */
  fence: (tx: Tx, senderId: number) => void
}
