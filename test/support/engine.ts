import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { type NodeStore, type OpenOptions, openStore, type SharedStore, type Store } from '../../server/store/index.ts'
import { migrate } from '../../server/store/postgres/migrate.ts'

/**
 * The server that this run of the tests uses; undefined: each program keeps everything in its
 * folder.
 */
const server = process.env.KURIR_TEST_POSTGRES

export const isShared = server !== undefined

/** File of the key for the secrets in a data folder of this run. */
export const KEY_FILE = isShared ? 'shared.key' : 'vault.key'

/**
 * Questions to the server or thread that are not answered yet, of every program in this process.
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

/** Counts what a method of the driver is asked. */
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

// SQLite's large reads are answered by a thread.
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

// Between an answer and the question that follows from it.
const STILL = 5

/**
 * A turn of the event loop; as many as it takes until nothing is asked of the store's server or
 * thread any more.
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

/** @param template a database that it becomes a copy of; default: an empty one */
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

/** Made once by each process of the tests. */
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
 * The database that belongs to a data folder: the same one whenever a program starts on it. A new
 * one is empty.
 */
export const databaseOf = (home: string): Promise<string> => known(home, false)

/** The same; a new one is as the migrations leave it, which would take half of every start. */
const migratedDatabaseOf = (home: string): Promise<string> => known(home, true)

/** Settings for a program on this folder, so that it uses the engine of this run. */
export async function engineEnv(home: string): Promise<Record<string, string>> {
  if (server === undefined) return {}
  mkdirSync(home, { recursive: true })
  const keyFile = join(home, KEY_FILE)
  writeFileSync(keyFile, '5a'.repeat(32), { mode: 0o600 })
  return { KURIR_DATABASE_URL: await migratedDatabaseOf(home), KURIR_VAULT_KEY_FILE: keyFile }
}

/** The store of a folder, in the engine of this run. */
export const openTestStore = async (options: OpenOptions): Promise<Store> =>
  openStore(server === undefined ? options : { ...options, databaseUrl: await migratedDatabaseOf(options.home) })

/** The store of a database that nodes share. */
export async function openShared(options: OpenOptions & { databaseUrl: string }): Promise<SharedStore> {
  const store = await openStore(options)
  if (!('nodes' in store)) throw new Error(`${options.databaseUrl} is not shared`)
  return store
}

/** The nodes that share a store; undefined: it belongs to one program. */
export const nodesOf = (store: Store): NodeStore | undefined =>
  'nodes' in store ? (store as SharedStore).nodes : undefined
