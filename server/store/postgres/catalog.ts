import type { Catalog } from './dialect.ts'
import type { Pool } from './pool.ts'

/** Primary keys and columns that number themselves. */
export async function readCatalog(pool: Pool): Promise<Catalog> {
  const { rows } = await pool.query<{ name: string; columns: string[]; identity: string | null }>(
    `SELECT t.relname AS name,
       array_agg(a.attname::text ORDER BY array_position(k.indkey::int2[], a.attnum)) FILTER (WHERE a.attnum = ANY (k.indkey)) AS columns,
       max(a.attname::text) FILTER (WHERE a.attidentity <> '') AS identity
     FROM pg_class t JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
     WHERE t.relnamespace = current_schema()::regnamespace GROUP BY t.relname`,
  )
  return {
    keys: new Map(rows.map(({ name, columns }) => [name, columns])),
    identities: new Map(rows.flatMap(({ name, identity }) => (identity === null ? [] : [[name, identity]]))),
  }
}
