import { z } from 'zod'

export type SqlValue = string | number | null | Uint8Array

/** One column of a SELECT: where it comes from, and how its value becomes a `T`. */
export interface Column<T> {
  readonly sql: string
  readonly type: 'INTEGER' | 'TEXT' | 'BLOB'
  readonly nullable: boolean
  /** Absent where the value is used as SQLite gives it. */
  readonly decode?: (stored: unknown) => T
  /** Absent where the value is written as it is. */
  encode?(value: T): SqlValue | object
}

/** A column for each member of a row, of that member's type. */
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

/** 0 and 1. */
export const flag = (sql: string): Column<boolean> => ({
  sql,
  type: 'INTEGER',
  nullable: false,
  decode: (stored) => stored === 1,
  encode: Number,
})

/** The place of a name in a list, so that an index has the order of the list. */
export const numbered = <T extends string>(sql: string, names: readonly [T, ...T[]]): Column<T> => ({
  sql,
  type: 'INTEGER',
  nullable: false,
  decode: (stored) => names[Number(stored)] ?? names[0],
  encode: (name) => names.indexOf(name),
})

/** JSON text; @throws ZodError where it holds something else. */
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

/** Any JSON, also a text or a number. */
export const anyJson = (sql: string): Column<unknown> => ({ ...json(sql, z.unknown()), encode: JSON.stringify })
export const anyJsonOrNull = (sql: string): Column<unknown> => ({
  ...jsonOrNull(sql, z.unknown()),
  encode: (value) => (value === null ? null : JSON.stringify(value)),
})

/** The same columns of a table that a statement gives another name. */
export const named = <Row extends object>(name: string, columns: Columns<Row>): Columns<Row> =>
  Object.fromEntries(
    Object.entries<Column<unknown>>(columns).map(([member, column]) => [
      member,
      { ...column, sql: `${name}.${column.sql}` },
    ]),
  ) as Columns<Row>

/** The first of some rows, until their sizes together are as large as one step may be. */
export function firstOf<Row>(rows: readonly Row[], stepSize: number, sizeOf: (row: Row) => number): readonly Row[] {
  let size = 0
  const last = rows.findIndex((row) => {
    size += sizeOf(row)
    return size >= stepSize
  })
  return last < 0 ? rows : rows.slice(0, last + 1)
}

/** Columns that are written, each with its value in a row. Objects and lists become JSON. */
export type Written<Row> = Readonly<Record<string, (row: Row) => SqlValue | object>>

/** Columns that are written as they are read, each with the member of its name. */
export const writing = <Row extends object>(columns: Columns<Row>): Written<Row> =>
  Object.fromEntries(
    Object.entries<Column<unknown>>(columns).map(([name, { sql, encode }]) => [
      sql,
      (row: Row) => encode?.(row[name as keyof Row]) ?? (row[name as keyof Row] as SqlValue | object),
    ]),
  )

export const asStored = (value: SqlValue | object): SqlValue =>
  typeof value !== 'object' || value === null || value instanceof Uint8Array ? value : JSON.stringify(value)

/** The values of a row, in the order of the columns. */
export const valuesOf = <Row>(columns: Written<Row>, row: Row): SqlValue[] =>
  Object.values(columns).map((read) => asStored(read(row)))

/** Places of these values in a statement. */
export const placesOf = (columns: object): string =>
  Object.keys(columns)
    .map((_, i) => `$${i + 1}`)
    .join(', ')
