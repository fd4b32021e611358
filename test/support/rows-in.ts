import type { TestApp } from './app.ts'

export async function rowsIn({ disk }: Pick<TestApp, 'disk'>, table: string): Promise<number> {
  const [row] = await disk.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
  return row?.n ?? -1
}
