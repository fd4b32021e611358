/** What has to be known of the schema to translate: columns of each primary key, and the column that numbers itself. */
export interface Catalog {
  keys: ReadonlyMap<string, readonly string[]>
  identities: ReadonlyMap<string, string>
}

export interface Translated {
  text: string
  /** The same, holding the rows that it reads until the transaction ends. */
  locking: string
  /** The names of the parameters in their order; null where they have none. */
  names: readonly string[] | null
  /** The table that it writes. */
  writes: string | null
}

/**
 * The statements of the store are written in the SQL of SQLite. Few words of it are unknown to PostgreSQL; these are
 * translated here, once, when a statement is prepared. A test has every statement of the store prepared by a server.
 */
export function translate(sql: string, catalog: Catalog): Translated {
  const written = /^\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (\w+)/.exec(sql)?.[1] ?? null
  const { text: numbered, names } = numberParameters(sql.trim().replace(/\s+/g, ' '))
  const words = numbered
    .replace(/\s+INDEXED BY \w+/g, '')
    // A plus that keeps SQLite's planner from an index.
    .replace(/(?<=[\s(])\+(?=[a-z])/g, '')
    .replace(/\bx'([0-9a-f]*)'/gi, "CAST('\\x$1' AS BYTEA)")
    // The type of a parameter comes from where it is first used.
    .replace(/\((\$\d+) IS NULL OR ([\w.]+ = \1)\)/g, '($2 OR $1 IS NULL)')
    .replace(/\bmax\(([^(),]+), ([^(),]+)\)/g, 'greatest($1, $2)')
    .replace(/\bLIKE\b/g, 'ILIKE')
    .replace(/\bAS INTEGER\)/g, 'AS BIGINT)')
    .replace(/\bjson_each\((\$\d+)\)/g, 'jsonb_array_elements_text(CAST($1 AS JSONB)) AS json_each(value)')
    .replace(/\bjson_extract\(([\w.]+), '\$\.(\w+)'\)/g, "(CAST($1 AS JSONB) ->> '$2')")
  const text = written === null ? cases(words) : conflicts(cases(words), written, catalog)
  return { text, locking: locking(text), names, writes: written }
}

/** `?` and `@name` become `$1`, `$2`, …; a name has one number. */
function numberParameters(sql: string): Pick<Translated, 'text' | 'names'> {
  const names: string[] = []
  let positions = 0
  const text = sql.replace(/'[^']*'|\?|@(\w+)/g, (found: string, name: string | undefined) => {
    if (found.startsWith("'")) return found
    if (name === undefined) {
      positions += 1
      return `$${positions}`
    }
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names: names.length > 0 ? names : null }
}

/** `iif(a, b, c)` becomes CASE; a parameter in it is a number, which CASE alone would not know. */
function cases(sql: string): string {
  const at = sql.search(/\biif\(/)
  if (at < 0) return sql
  const parts: string[] = []
  let depth = 0
  let begin = at + 4
  for (let i = begin; ; i += 1) {
    const char = sql[i]
    if (char === undefined) throw new Error(`iif( is not closed: ${sql}`)
    if (char === "'") i = sql.indexOf("'", i + 1)
    else if (char === '(') depth += 1
    else if (char === ',' && depth === 0) {
      parts.push(sql.slice(begin, i).trim())
      begin = i + 1
    } else if (char === ')') {
      if (depth === 0) {
        parts.push(sql.slice(begin, i).trim())
        const [condition = '', yes = '', no = ''] = parts
        const typed = (value: string) => value.replace(/^\$\d+$/, 'CAST($& AS BIGINT)')
        const written = `CASE WHEN ${condition} THEN ${typed(yes)} ELSE ${typed(no)} END`
        return cases(sql.slice(0, at) + written + sql.slice(i + 1))
      }
      depth -= 1
    }
  }
}

/** What follows where a row with this key is there already, and the number of a new row. */
function conflicts(sql: string, table: string, { keys, identities }: Catalog): string {
  const key = (keys.get(table) ?? []).join(', ')
  let text = sql
    .replace(/\bON CONFLICT DO UPDATE SET\b/, `ON CONFLICT (${key}) DO UPDATE SET`)
    .replace(/(?<=DO UPDATE SET ).*/s, (set) => ownValues(set, table))
  if (/^\s*INSERT OR IGNORE /.test(text)) text = `${text.replace('INSERT OR IGNORE', 'INSERT')} ON CONFLICT DO NOTHING`
  if (/^\s*INSERT OR REPLACE /.test(text)) {
    const columns =
      /^\s*INSERT OR REPLACE INTO \w+ \(([^)]*)\)/
        .exec(text)?.[1]
        ?.split(',')
        .map((name) => name.trim()) ?? []
    const others = columns
      .filter((name) => !keys.get(table)?.includes(name))
      .map((name) => `${name} = excluded.${name}`)
    const then = others.length === 0 ? 'DO NOTHING' : `DO UPDATE SET ${others.join(', ')}`
    text = `${text.replace('INSERT OR REPLACE', 'INSERT')} ON CONFLICT (${key}) ${then}`
  }
  const identity = identities.get(table)
  return /^\s*INSERT\b/.test(text) && identity !== undefined ? `${text} RETURNING ${identity}` : text
}

/** In this place PostgreSQL takes a bare name for either of the two rows; SQLite means the one that is there. */
const ownValues = (set: string, table: string): string =>
  set.replace(/(\w+) = ((?:(?!, \w+ = ).)*)/gs, (_all, name: string, value: string) => {
    const bare = new RegExp(`(?<![.\\w])${name}(?![\\w(])`, 'g')
    return `${name} = ${value.replace(bare, `${table}.${name}`)}`
  })

/**
 * SQLite lets one transaction write at a time. Here, a transaction holds the rows that it reads, so that what it decides
 * from them is still true when it is written. Sums and groups have no rows to hold.
 */
function locking(sql: string): string {
  const [, columns, table, alias] =
    /^\s*SELECT ([\s\S]*?) FROM (\w+)(?: (?:AS )?(?!WHERE|ORDER|JOIN|LEFT|CROSS|LIMIT|GROUP)(\w+))?/.exec(sql) ?? []
  if (columns === undefined || table === undefined) return sql
  if (/\b(count|min|max|sum)\(|\bDISTINCT\b| OVER /i.test(columns) || /\bGROUP BY\b/.test(sql)) return sql
  // What many transactions look at, and few change, is held by all of them together.
  return `${sql} FOR ${sql.includes('/* for many at once */') ? 'SHARE' : 'UPDATE'} OF ${alias ?? table}`
}
