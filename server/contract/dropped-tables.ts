/** Bytes of the file of a table. */
export const MOST_TABLE_BYTES = 8 * 1024 * 1024

/** Why a table that was put into the drop folder is not sent at all. */
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

/** A table that nobody looks at before it is sent. */
export interface DroppedTable {
  /** A table of this id is sent once, however often it is given. */
  id: string
  /** It was sent; the owner may have undone that since. */
  isTaken: boolean
  name: string
  bytes: Buffer
  senderCode: string
  /** For a table that has no column of texts. */
  text: string
  /** Called with the number of messages before any is made; nothing is sent where it throws. */
  allow: (count: number) => Promise<void>
}

/** `refused`: a sentence for each row that is not sent. */
export type DroppedOutcome = { sent: true; refused: string[] } | { sent: false; why: TableRefusal; refused: string[] }
