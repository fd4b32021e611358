// The thread that checks copies of the databases; see staged.ts.
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { loadInThread, openDatabase } from './database.ts'
import { versionOf } from './migrate.ts'

const { folder, names } = workerData as { folder: string; names: readonly string[] }

function isWhole(file: string): boolean {
  try {
    const db = openDatabase(file)
    try {
      return versionOf(db) >= 1 && db.pragma('quick_check(1)', { simple: true }) === 'ok'
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

loadInThread()
parentPort?.postMessage(names.map((name) => join(folder, name)).find((file) => !isWhole(file)) ?? null)
