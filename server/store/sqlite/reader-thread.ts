// The thread that does large reads; see reader.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { StorageError } from '../../lib/storage-error.ts'
import { type Db, loadInThread, openForItsLog, openReadOnly } from './database.ts'
import { createLargeReads, type LargeReads } from './large-reads.ts'
import type { Answer, Question } from './reader.ts'
import { metaValues } from './sql.ts'

const { file } = workerData as { file: string }

function open(): LargeReads {
  const db = openReadOnly(file)
  db.pragma('trusted_schema = OFF')
  db.pragma('temp_store = MEMORY')
  const meta = metaValues(db)
  return createLargeReads(db, () => Number(meta.get('searched_up_to') ?? 0))
}

let reads: LargeReads | undefined
let log: Db | undefined

async function answer(question: Question): Promise<Answer> {
  try {
    if (question === 'fold') {
      log ??= openForItsLog(file)
      return { value: log.pragma('wal_checkpoint(PASSIVE)') }
    }
    reads ??= open()
    const { noun, name, given } = question
    const methods = reads[noun] as Record<string, (...given: unknown[]) => Promise<unknown>>
    return { value: await methods[name]?.(...given) }
  } catch (error) {
    // A StorageError would lose its class on the way to the other thread; its cause has the code.
    const { message, code } = (error instanceof StorageError ? error.cause : error) as Error & { code?: string }
    return { error: { message, code } }
  }
}

loadInThread()
parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))
