const REFUSED_TABLES = ['not_a_table', 'empty', 'too_large', 'too_many_rows', 'too_many_columns', 'too_slow'] as const
export type RefusedTable = (typeof REFUSED_TABLES)[number]

/** Thrown for a file that cannot be read as a table. */
export class TableRefused extends Error {
  readonly why: RefusedTable

  constructor(why: RefusedTable) {
    super(why)
    this.why = why
  }
}
