import type { TestApp } from './app.ts'

/** Counts the rows of a table of the running program. */
export async function rowsIn({ disk }: Pick<TestApp, 'disk'>, table: string): Promise<number> {
  const [row] = await disk.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
  return row?.n ?? -1
}
