import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { type NodeStore, type OpenOptions, openStore, type SharedStore, type Store } from '../../server/store/index.ts'
import { migrate } from '../../server/store/postgres/migrate.ts'

/** PostgreSQL server of this test run. Undefined: programs use SQLite in their data folder. */
const server = process.env.KURIR_TEST_POSTGRES

export const isShared = server !== undefined

/** Name of the key file in a data folder of this run. */
export const KEY_FILE = isShared ? 'shared.key' : 'vault.key'

/**
 * Queries to the server or reader threads that are not answered yet, of all programs in this
 * process.
 */
let unanswered = 0

function counted<T>(question: T): T {
  if (!(question instanceof Promise)) return question
  unanswered += 1
  const answered = () => {
    unanswered -= 1
  }
  question.then(answered, answered)
  return question
}

/** Counts the calls of a driver's method until they are answered. */
function count(prototype: object, method: string): void {
  const original: unknown = Reflect.get(prototype, method)
  if (typeof original !== 'function') throw new Error(`the driver has no ${method}`)
  Reflect.set(prototype, method, function (this: unknown, ...args: unknown[]): unknown {
    return counted(Reflect.apply(original, this, args))
  })
}

if (isShared) {
  count(pg.Pool.prototype, 'connect')
  count(pg.Client.prototype, 'query')
}

// SQLite's large reads run in a thread.
process.on('worker', (thread) => {
  let asked = 0
  const ask = thread.postMessage.bind(thread)
  thread.postMessage = (question: unknown) => {
    asked += 1
    unanswered += 1
    ask(question)
  }
  const answered = (answers: number) => {
    asked -= answers
    unanswered -= answers
  }
  thread.on('message', () => answered(Math.min(asked, 1)))
  thread.on('exit', () => answered(asked))
})

// Turns to wait for a query that follows from an answer.
const STILL = 5

/**
 * Waits one turn of the event loop, and then until the store's server or thread has nothing left to
 * answer.
 */
export async function turn(): Promise<void> {
  await setImmediate()
  if (isShared || unanswered > 0)
    for (let still = 0; still < STILL; still = unanswered === 0 ? still + 1 : 0) await setImmediate()
}

const made = new Map<string, Promise<string>>()

const urlOf = (name: string): string => {
  const url = new URL(server ?? '')
  url.pathname = `/${name}`
  return url.href
}

/** @param template database to copy; default: an empty one */
async function makeDatabase(name: string, template = 'template1'): Promise<string> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  } finally {
    await client.end()
  }
  return urlOf(name)
}

let migrated: Promise<string> | undefined

/** Creates the template database; once per test process. */
async function migrateOnce(): Promise<string> {
  const name = `kurir_migrated_${process.pid}`
  await migrate(await makeDatabase(name), name)
  return name
}

async function make(home: string, isMigrated: boolean): Promise<string> {
  const name = `kurir_${createHash('sha256').update(home).digest('hex').slice(0, 16)}`
  if (!isMigrated) return makeDatabase(name)
  migrated ??= migrateOnce()
  return makeDatabase(name, await migrated)
}

function known(home: string, isMigrated: boolean): Promise<string> {
  const url = made.get(home) ?? make(home, isMigrated)
  made.set(home, url)
  return url
}

/**
 * Resolves with the address of the database that belongs to a data folder, in every program on that
 * folder. A new database is empty.
 */
export const databaseOf = (home: string): Promise<string> => known(home, false)

/**
 * Like `databaseOf`, but a new database is already migrated, because migrations would take half of
 * every start.
 */
const migratedDatabaseOf = (home: string): Promise<string> => known(home, true)

/** Returns the variables that make a program on this folder use this run's engine. */
export async function engineEnv(home: string): Promise<Record<string, string>> {
  if (server === undefined) return {}
  mkdirSync(home, { recursive: true })
  const keyFile = join(home, KEY_FILE)
  writeFileSync(keyFile, '5a'.repeat(32), { mode: 0o600 })
  return { KURIR_DATABASE_URL: await migratedDatabaseOf(home), KURIR_VAULT_KEY_FILE: keyFile }
}

/** Opens the store of a folder in this run's engine. */
export const openTestStore = async (options: OpenOptions): Promise<Store> =>
  openStore(server === undefined ? options : { ...options, databaseUrl: await migratedDatabaseOf(options.home) })

/** Opens the store of a database that several nodes share. */
export async function openShared(options: OpenOptions & { databaseUrl: string }): Promise<SharedStore> {
  const store = await openStore(options)
  if (!('nodes' in store)) throw new Error(`${options.databaseUrl} is not shared`)
  return store
}

/** Returns the node part of a shared store; undefined if a single program owns the store. */
export const nodesOf = (store: Store): NodeStore | undefined =>
  'nodes' in store ? (store as SharedStore).nodes : undefined
