import { z } from 'zod'

export type SqlValue = string | number | null | Uint8Array

/** One column of a SELECT: its SQL, and how a stored value becomes a `T`. */
export interface Column<T> {
  readonly sql: string
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB'
  readonly nullable: boolean
  /** Undefined: the stored value is used as SQLite returns it. */
  readonly decode?: (stored: unknown) => T
  /** Undefined: the value is written as it is. */
  encode?(value: T): SqlValue | object
}

/** A column for each member of a row, with the type of the member. */
export type Columns<Row> = { readonly [K in keyof Row]-?: Column<Row[K]> }

export const integer = (sql: string): Column<number> => ({ sql, type: 'INTEGER', nullable: false })
export const integerOrNull = (sql: string): Column<number | null> => ({ sql, type: 'INTEGER', nullable: true })
export const text = <T extends string = string>(sql: string): Column<T> => ({ sql, type: 'TEXT', nullable: false })
export const textOrNull = <T extends string = string>(sql: string): Column<T | null> => ({
  sql,
  type: 'TEXT',
  nullable: true,
})
export const blob = (sql: string): Column<Buffer> => ({ sql, type: 'BLOB', nullable: false })
export const blobOrNull = (sql: string): Column<Buffer | null> => ({ sql, type: 'BLOB', nullable: true })

/** A boolean, stored as 0 or 1. */
export const flag = (sql: string): Column<boolean> => ({
  sql,
  type: 'INTEGER',
  nullable: false,
  decode: (stored) => stored === 1,
  encode: Number,
})

/** A name, stored as its place in a list, so that an index has the order of the list. */
export const numbered = <T extends string>(sql: string, names: readonly [T, ...T[]]): Column<T> => ({
  sql,
  type: 'INTEGER',
  nullable: false,
  decode: (stored) => names[Number(stored)] ?? names[0],
  encode: (name) => names.indexOf(name),
})

/**
 * JSON text.
 * @throws ZodError if the text does not fit the schema
 */
export const json = <T>(sql: string, schema: z.ZodType<T>): Column<T> => ({
  sql,
  type: 'TEXT',
  nullable: false,
  decode: (stored) => schema.parse(JSON.parse(String(stored))),
})

export const jsonOrNull = <T>(sql: string, schema: z.ZodType<T>): Column<T | null> => ({
  sql,
  type: 'TEXT',
  nullable: true,
  decode: (stored) => (stored === null ? null : schema.parse(JSON.parse(String(stored)))),
})

export const anyJson = (sql: string): Column<unknown> => ({ ...json(sql, z.unknown()), encode: JSON.stringify })
export const anyJsonOrNull = (sql: string): Column<unknown> => ({
  ...jsonOrNull(sql, z.unknown()),
  encode: (value) => (value === null ? null : JSON.stringify(value)),
})

/** Returns columns with the alias that a statement gives their table. */
export const named = <Row extends object>(name: string, columns: Columns<Row>): Columns<Row> =>
  Object.fromEntries(
    Object.entries<Column<unknown>>(columns).map(([member, column]) => [
      member,
      { ...column, sql: `${name}.${column.sql}` },
    ]),
  ) as Columns<Row>

/** Returns the first rows, until the sum of their sizes reaches `stepSize`. */
export function firstOf<Row>(rows: readonly Row[], stepSize: number, sizeOf: (row: Row) => number): readonly Row[] {
  let size = 0
  const last = rows.findIndex((row) => {
    size += sizeOf(row)
    return size >= stepSize
  })
  return last < 0 ? rows : rows.slice(0, last + 1)
}

/**
 * Columns to write, each with a function that takes its value from a row. Objects and lists become
 * JSON.
 */
export type Written<Row> = Readonly<Record<string, (row: Row) => SqlValue | object>>

/** Returns columns to write from columns to read; each takes the member of its name. */
export const writing = <Row extends object>(columns: Columns<Row>): Written<Row> =>
  Object.fromEntries(
    Object.entries<Column<unknown>>(columns).map(([name, { sql, encode }]) => [
      sql,
      (row: Row) => encode?.(row[name as keyof Row]) ?? (row[name as keyof Row] as SqlValue | object),
    ]),
  )

export const asStored = (value: SqlValue | object): SqlValue =>
  typeof value !== 'object' || value === null || value instanceof Uint8Array ? value : JSON.stringify(value)

export const valuesOf = <Row>(columns: Written<Row>, row: Row): SqlValue[] =>
  Object.values(columns).map((read) => asStored(read(row)))

/** Returns the placeholders of the columns' values in a statement. */
export const placesOf = (columns: object): string =>
  Object.keys(columns)
    .map((_, i) => `$${i + 1}`)
    .join(', ')
