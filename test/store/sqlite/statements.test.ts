import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { text } from '../../../server/store/columns.ts'
import { openStore, type Statements } from '../../../server/store/index.ts'
import { type Db, openDatabase } from '../../../server/store/sqlite/database.ts'
import { createGroupCommit } from '../../../server/store/sqlite/group-commit.ts'
import { createLargeReads } from '../../../server/store/sqlite/large-reads.ts'
import { createSessions } from '../../../server/store/sqlite/linked.ts'
import { migrate } from '../../../server/store/sqlite/migrate.ts'
import { sessionMigrations } from '../../../server/store/sqlite/schema.ts'
import { type Prepared, selecting, watchSelects } from '../../../server/store/sqlite/sql.ts'
import { temporaryFolder } from '../../support/folder.ts'

const SLICES = join(import.meta.dirname, '../../../server/slices')
const FOLDERS = ['sqlite'].map((name) => join(import.meta.dirname, '../../../server/store', name))

/** Whether the schema lets a column be null. */
function mayBeNull(db: Db, table: string, column: string): boolean {
  const info = db.prepare<[string, string], { notnull: number; pk: number }>(
    'SELECT "notnull", pk FROM pragma_table_info(?) WHERE name = ?',
  )
  const found = info.get(table, column)
  return found !== undefined && found.notnull === 0 && found.pk === 0
}

/** How a statement differs from the columns that it was declared with. */
function differences(db: Db, { sql, columns }: Prepared): string[] {
  const actual = db.prepare(sql).columns()
  const names = actual.map(({ name }) => name)
  const found = names.join() === Object.keys(columns).join() ? [] : [`gives ${names}`]
  for (const { name, column, table, type } of actual) {
    const declared = columns[name]
    if (declared === undefined || column === null || table === null) continue
    if (type !== null && type !== declared.type) found.push(`${name} is ${type}, not ${declared.type}`)
    const isGiven = new RegExp(`\\b${column} IS NOT NULL`).test(sql)
    if (mayBeNull(db, table, column) && !declared.nullable && !isGiven) found.push(`${name} may be null`)
  }
  return found.map((difference) => `${sql}: ${difference}`)
}

/** Declares the statements of all slices. */
async function openSlices(statements: Statements): Promise<void> {
  const files = globSync('*/store.ts', { cwd: SLICES })
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const slice: Record<string, (statements: Statements) => unknown> = await import(join(SLICES, file))
    for (const [name, create] of Object.entries(slice)) if (name.startsWith('create')) create(statements)
  }
}

test('every SELECT gives the columns of its row type, with the types of the schema', async () => {
  const home = temporaryFolder()
  const opened: Db[] = []
  const prepared: (readonly Prepared[])[] = []
  const watch = (db: Db) => {
    opened.push(db)
    prepared.push(watchSelects(db))
  }
  const store = await openStore({ home, now: Date.now, opened: watch })
  onTestFinished(store.close)
  await openSlices(store.statements)
  const sessions = openDatabase(join(temporaryFolder(), 'sessions.db'))
  onTestFinished(() => void sessions.close())
  await migrate(sessions, sessionMigrations)
  watch(sessions)
  createSessions(
    sessions,
    createGroupCommit(
      sessions,
      0,
      () => null,
      () => {},
    ),
  )
  // These are prepared when somebody asks.
  const filter = {
    referenceId: 'r',
    senderId: 1,
    channel: 'template',
    recipients: ['62', '63'],
    templateName: 't',
  } as const
  const [main] = opened
  if (main === undefined) throw new Error('the store has opened no database')
  const reads = createLargeReads(main, () => 0)
  await reads.messages.list({ ...filter, statuses: ['sent'], from: 1, to: 2, before: 3, limit: 4 })
  await reads.messages.list({ text: 'two words', limit: 1 })
  await reads.deliveries.list({ state: 'dead', endpointId: 1, messageId: 'm', before: 2, limit: 3 })

  const wrong = opened.flatMap((db, i) => prepared[i]?.flatMap((statement) => differences(db, statement)) ?? [])
  expect(wrong).toEqual([])
  // A bare value has SQLite plan the statement anew with each run.
  expect(prepared.flat().filter(({ sql }) => /(?<!\+)([?@]|\$\d)/.test(sql))).toEqual([])
  expect(prepared.map((statements) => statements.length > 1)).toEqual([true, true])
})

test('what is looked up with every message, status or receipt is found by its index', async () => {
  let db: Db | undefined
  let prepared: readonly Prepared[] = []
  const opened = (main: Db) => {
    db = main
    prepared = watchSelects(main)
  }
  const store = await openStore({ home: temporaryFolder(), now: Date.now, opened })
  onTestFinished(store.close)
  /** Where the planner begins with the statements that contain `part`. */
  const planOf = (part: string): string[] =>
    prepared.flatMap(({ sql }) => {
      if (!sql.replace(/\+(?=[?@]|\$\d)/g, '').includes(part)) return []
      const query = `EXPLAIN QUERY PLAN ${sql.replace(/@\w+|\?|\$\d+/g, '@any')}`
      const values = query.includes('@any') ? [{ any: 1 }] : []
      const plan = db?.prepare<unknown[], { detail: string }>(query).all(...values)
      return plan?.[0]?.detail ?? []
    })
  const plans: [part: string, index: RegExp][] = [
    ['m.provider_message_id = @', /^SEARCH m USING INDEX messages_provider /],
    [
      'm.priority = ? AND m.next_at <= ?',
      /^SEARCH m USING INDEX messages_priority .*lane_id=\? AND priority=\? AND next_at</,
    ],
    ['(m.next_at, m.seq) > (', /^SEARCH m USING INDEX messages_priority .*lane_id=\? AND priority=\? AND next_at>/],
    ['m.expires_at <= @now', /^SEARCH m USING INDEX messages_expiry .*lane_id=\? AND expires_at</],
    ['ORDER BY expires_at LIMIT 1', /^SEARCH messages USING (?:COVERING )?INDEX messages_expiry /],
    ['messages_status', /^SEARCH m USING INDEX messages_status /],
    ['occurred_at <= $1 GROUP BY', /^SEARCH messages USING INDEX messages_status \(status=\?\)$/],
    ['m.id = ?', /^SEARCH m USING INDEX sqlite_autoindex_messages_1 /],
    ['WHERE reference_id = ?', /^SEARCH messages USING INDEX messages_reference /],
    ['FROM idempotency WHERE scope = @', /^SEARCH idempotency USING PRIMARY KEY /],
    ['FROM idempotency WHERE scope = $1', /^SEARCH idempotency USING PRIMARY KEY /],
    ['FROM contacts', /^SEARCH contacts USING PRIMARY KEY /],
    ['d.next_at <= ?', /^SEARCH d USING INDEX deliveries_due /],
    ['applied_at IS NULL', /^SCAN meta_inbox USING INDEX meta_inbox_waiting$/],
  ]
  for (const [part, index] of plans) {
    expect(planOf(part), part).toEqual([expect.stringMatching(index)])
  }
})

test('a column that was renamed, has another type or may be null would be found', () => {
  const db = openDatabase(join(temporaryFolder(), 'test.db'))
  onTestFinished(() => void db.close())
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT) STRICT')
  const prepared = watchSelects(db)
  selecting<{ id: string; body: string }>(db, { id: text('id'), body: text('body') })('FROM notes')
  expect(prepared.flatMap((statement) => differences(db, statement))).toEqual([
    expect.stringContaining('id is INTEGER, not TEXT'),
    expect.stringContaining('body may be null'),
  ])
  const [first] = prepared
  const renamed = { sql: (first?.sql ?? '').replace('"body"', '"text"'), columns: first?.columns ?? {} }
  expect(differences(db, renamed)).toContainEqual(expect.stringContaining('gives id,text'))
  selecting<{ name: string }>(db, { name: text('name') })('FROM notes')
  expect(() => prepared.map((statement) => differences(db, statement))).toThrow(/no such column/)
})

test('SELECTs have declared columns; more than four values have names, or one place that pairs them', () => {
  const files = FOLDERS.flatMap((folder) =>
    globSync('*.ts', { cwd: folder }).map((name) => ({ name, code: readFileSync(join(folder, name), 'utf8') })),
  )
  expect(files.length).toBeGreaterThan(20)
  const statements = files.flatMap(({ name, code }) =>
    [...code.matchAll(/\bprepare(?:<[^(]*>)?\(\s*(['"`])([\s\S]*?)\1/g)].map(([, , sql = '']) => ({ name, sql })),
  )
  expect(statements.length).toBeGreaterThan(30)
  expect(statements.filter(({ sql }) => /^\s*SELECT\b.*\bFROM\b/s.test(sql))).toEqual([])
  expect(statements.filter(({ sql }) => (sql.match(/\?/g) ?? []).length > 4)).toEqual([])
  expect(files.filter(({ code }) => /\.run\(\s*\.\.\./.test(code)).map(({ name }) => name)).toEqual(['sql.ts'])
})
