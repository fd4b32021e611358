/** Largest file of a table, in bytes. */
export const MOST_TABLE_BYTES = 8 * 1024 * 1024

/** Reasons why no row of a table in the drop folder is sent. */
export const TABLE_REFUSALS = [
  'table_unreadable',
  'table_too_large',
  'table_no_number',
  'table_no_text',
  'table_no_column',
  'table_no_row',
  'table_too_slow',
] as const
export type TableRefusal = (typeof TABLE_REFUSALS)[number]

/** A table from the drop folder, which nobody reviews before it is sent. */
export interface DroppedTable {
  /** A table with this id is sent only once, however often it is passed. */
  id: string
  /** True if the table was sent before, even if the owner has undone it since. */
  isTaken: boolean
  name: string
  bytes: Buffer
  senderCode: string
  /** Text of every message if the table has no column of texts. */
  text: string
  /** Called with the number of messages before any is created. If it throws, nothing is sent. */
  allow: (count: number) => Promise<void>
}

/** `refused`: one sentence for each row that is not sent. */
export type DroppedOutcome = { sent: true; refused: string[] } | { sent: false; why: TableRefusal; refused: string[] }
