/**
 * Facts about the schema that a translation needs: columns of each primary key, the column that
 * numbers itself, and the types of all columns.
 */
export interface Catalog {
  keys: ReadonlyMap<string, readonly string[]>
  identities: ReadonlyMap<string, string>
  types: ReadonlyMap<string, Readonly<Record<string, string>>>
}

export interface Translated {
  text: string
  /** The same, holding the rows that it reads until the transaction ends. */
  locking: string
  /**
   * The same for several lists of parameters: `$1` is a JSON list of objects, of which `n` is the
   * number of each list and `p1` its first parameter. The rows of a SELECT have that `n`; those of
   * an INSERT are in the order of the lists. Null where that cannot be.
   */
  many: string | null
  /** The names of the parameters in their order; null where they have none. */
  names: readonly string[] | null
  /** The table that it writes. */
  writes: string | null
  /**
   * The same, unless it changes nothing that is kept in memory: `not remembered` in a comment says
   * so.
   */
  changes: string | null
}

/**
 * The statements of the store are written in the SQL of SQLite. Few words of it are unknown to
 * PostgreSQL; these are translated here, once, when a statement is prepared. A test has every
 * statement of the store prepared by a server.
 */
export function translate(sql: string, catalog: Catalog): Translated {
  const written = /^\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (\w+)/.exec(sql)?.[1] ?? null
  // A plus that hides a value from SQLite's planner would make a number of it here.
  const plain = sql
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\+(?=[?@])/g, '')
  const { text: numbered, names } = numberParameters(plain)
  const words = optional(numbered)
    .replace(/\s+INDEXED BY \w+/g, '')
    // A plus that keeps SQLite's planner from an index.
    .replace(/(?<=[\s(])\+(?=[a-z])/g, '')
    .replace(/\bx'([0-9a-f]*)'/gi, "CAST('\\x$1' AS BYTEA)")
    .replace(/\bifnull\(/g, 'coalesce(')
    .replace(/\bIS (?=\$\d)/g, 'IS NOT DISTINCT FROM ')
    .replace(/\bLIKE\b/g, 'ILIKE')
    .replace(/\bAS INTEGER\)/g, 'AS BIGINT)')
    .replace(/\bjson_each\((\$\d+)\)/g, 'jsonb_array_elements_text(CAST($1 AS JSONB)) AS json_each(value)')
    .replace(/\b([\w.]+) ->> '\$\.(\w+)'/g, member)
    .replace(/\bjson_extract\(([\w.]+), '\$\.(\w+)'\)/g, member)
    .replace(
      /\bjson_set\(([\w.]+), '\$\.(\w+)', json\('([^']*)'\)\)/g,
      (_all, column: string, name: string, value: string) =>
        `CAST(jsonb_set(${asJson(column)}, '{${name}}', '${value}') AS TEXT)`,
    )
  const text = written === null ? functions(words) : conflicts(functions(words), written, catalog)
  const held = locking(text)
  const many = forMany(written === null ? held : text, catalog)
  const changes = sql.includes('/* not remembered */') ? null : written
  return { text, locking: held, many, names, writes: written, changes }
}

/**
 * JSON may name NUL and halves of characters, as where a text was cut in an emoji; JSONB refuses
 * the whole text for them.
 */
const asJson = (column: string): string =>
  `CAST(regexp_replace(${column}, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'gi') AS JSONB)`

/** A member of a JSON text. */
const member = (_all: string, column: string, name: string): string => `(${asJson(column)} ->> '${name}')`

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

/** The arguments of a call that begins at `from`, and where it ends. */
function argumentsAt(sql: string, from: number): { given: string[]; end: number } {
  const given: string[] = []
  let depth = 0
  let begin = from
  for (let i = from; i < sql.length; i += 1) {
    const char = sql[i]
    if (char === "'") i = sql.indexOf("'", i + 1)
    else if (char === '(') depth += 1
    else if ((char === ',' || char === ')') && depth === 0) {
      given.push(sql.slice(begin, i).trim())
      begin = i + 1
      if (char === ')') return { given, end: i + 1 }
    } else if (char === ')') depth -= 1
  }
  throw new Error(`a bracket is not closed: ${sql}`)
}

/** Rewrites every call of a function, also one inside of another. */
function rewriteCalls(sql: string, name: string, rewrite: (given: string[]) => string): string {
  const at = sql.search(new RegExp(`\\b${name}\\(`))
  if (at < 0) return sql
  const { given, end } = argumentsAt(sql, at + name.length + 1)
  const inner = given.map((each) => rewriteCalls(each, name, rewrite))
  return sql.slice(0, at) + rewrite(inner) + rewriteCalls(sql.slice(end), name, rewrite)
}

/** The type of a parameter comes from where it is first used, which must not be IS NULL. */
function optional(sql: string): string {
  const found = /\((\$\d+) IS NULL OR /.exec(sql)
  if (found === null) return sql
  const begin = found.index + found[0].length
  const { given, end } = argumentsAt(sql, begin)
  return `${sql.slice(0, found.index)}(${given.join(', ')} OR ${found[1]} IS NULL)${optional(sql.slice(end))}`
}

/** A parameter in `iif` is a number, which CASE alone would not know. */
const typed = (value = ''): string => value.replace(/^\$\d+$/, 'CAST($& AS BIGINT)')

/** Functions that have another name; `max` and `min` of several values are no sums. */
function functions(sql: string): string {
  const cases = rewriteCalls(
    sql,
    'iif',
    ([condition, yes, no]) => `CASE WHEN ${condition} THEN ${typed(yes)} ELSE ${typed(no)} END`,
  )
  const largest = rewriteCalls(cases, 'max', (given) => `${given.length > 1 ? 'greatest' : 'max'}(${given.join(', ')})`)
  return rewriteCalls(largest, 'min', (given) => `${given.length > 1 ? 'least' : 'min'}(${given.join(', ')})`)
}

/** Adds the clause for a row whose key exists, and the number of a new row. */
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

/**
 * In this place PostgreSQL takes a bare name for either of the two rows; SQLite means the one that
 * is there.
 */
const ownValues = (set: string, table: string): string =>
  set.replace(/(\w+) = ((?:(?!, \w+ = ).)*)/gs, (_all, name: string, value: string) => {
    const bare = new RegExp(`(?<![.\\w])${name}(?![\\w(])`, 'g')
    return `${name} = ${value.replace(bare, `${table}.${name}`)}`
  })

/**
 * How rows are held, by a comment in the statement. What has none is held by one transaction at a
 * time; others may add rows that refer to it.
 */
const STRENGTHS = {
  // It may change meanwhile, and is not removed.
  'only there': 'KEY SHARE',
  // Waits for those as well. A DELETE would too, but goes by what was there before it waited.
  'to be removed': 'UPDATE',
}

/**
 * SQLite lets one transaction write at a time. Here, a transaction holds the rows that it reads, so
 * that what it decides from them is still true when it is written. Sums and groups have no rows to
 * hold.
 */
function locking(sql: string): string {
  const [, columns, table, alias] =
    /^\s*SELECT ([\s\S]*?) FROM (\w+)(?: (?:AS )?(?!WHERE|ORDER|JOIN|LEFT|CROSS|LIMIT|GROUP)(\w+))?/.exec(sql) ?? []
  // Rows of a search: nothing is decided from them.
  if (columns === undefined || table === undefined || columns.includes(' FROM (')) return sql
  if (/\b(count|min|max|sum)\(|\bDISTINCT\b| OVER /i.test(columns) || /\bGROUP BY\b/.test(sql)) return sql
  const strength = Object.entries(STRENGTHS).find(([mark]) => sql.includes(`/* ${mark} */`))?.[1] ?? 'NO KEY UPDATE'
  return `${sql} FOR ${strength} OF ${alias ?? table}`
}

/**
 * Only for the simple ones, whose parameters are compared with columns of one table, or become
 * them.
 */
function forMany(sql: string, { types }: Catalog): string | null {
  const insert = /^INSERT INTO (\w+) \(([\w, ]+)\) VALUES \([$\d, ]+\)( RETURNING \w+)?$/.exec(sql)
  const select = /^SELECT .* FROM (\w+) WHERE (?!.* (?:JOIN|UNION|FROM) )/.exec(sql)
  const table = types.get(insert?.[1] ?? select?.[1] ?? '')
  if (table === undefined) return null
  const columns =
    insert?.[2]?.split(',').map((name) => name.trim()) ??
    [...sql.matchAll(/(\w+) (?:[<>=]+|IS NOT DISTINCT FROM) \$(\d+)/g)].reduce<string[]>(
      (found, [, name = '', number]) => {
        found[Number(number) - 1] = name
        return found
      },
      [],
    )
  const given = Array.from(columns, (name, i) => [`p${i + 1}`, table[name]] as const)
  const asked = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  if (given.length !== asked || given.some(([, type]) => type === undefined)) return null
  const lists = `json_to_recordset($1) AS asked (n BIGINT${given.map(([name, type]) => `, ${name} ${type}`).join('')})`
  if (insert !== null)
    return `INSERT INTO ${insert[1]} (${insert[2]}) SELECT ${given.map(([name]) => name).join(', ')} FROM ${lists} ORDER BY n${insert[3] ?? ''}`
  return `SELECT asked.n, found.* FROM ${lists} CROSS JOIN LATERAL (${sql.replace(/\$(\d+)/g, 'asked.p$1')}) AS found`
}
