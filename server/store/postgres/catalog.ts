import type { Catalog } from './dialect.ts'
import type { Pool } from './pool.ts'

/** Primary keys, columns that number themselves, types. */
export async function readCatalog(pool: Pool): Promise<Catalog> {
  const { rows } = await pool.query<{
    name: string
    columns: string[]
    identity: string | null
    types: Record<string, string>
  }>(
    `SELECT t.relname AS name,
       array_agg(a.attname::text ORDER BY array_position(k.indkey::int2[], a.attnum)) FILTER (WHERE a.attnum = ANY (k.indkey)) AS columns,
       max(a.attname::text) FILTER (WHERE a.attidentity <> '') AS identity,
       json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) FILTER (WHERE NOT a.attisdropped) AS types
     FROM pg_class t JOIN pg_index k ON k.indrelid = t.oid AND k.indisprimary JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
     WHERE t.relnamespace = current_schema()::regnamespace GROUP BY t.relname`,
  )
  return {
    keys: new Map(rows.map(({ name, columns }) => [name, columns])),
    identities: new Map(rows.flatMap(({ name, identity }) => (identity === null ? [] : [[name, identity]]))),
    types: new Map(rows.map(({ name, types }) => [name, types])),
  }
}
