// A thread that reads for the others; see reader.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { text } from '../columns.ts'
import { openReadOnly } from './database.ts'
import { createLargeReads, type LargeReads } from './large-reads.ts'
import type { Answer, Question } from './reader.ts'
import { selecting } from './sql.ts'

const { file } = workerData as { file: string }

function open(): LargeReads {
  const db = openReadOnly(file)
  db.pragma('trusted_schema = OFF')
  db.pragma('temp_store = MEMORY')
  const upTo = selecting<{ value: string }>(db, { value: text('value') })("FROM meta WHERE name = 'searched_up_to'")
  return createLargeReads(db, () => Number(upTo.get()?.value ?? 0))
}

let reads: LargeReads | undefined

async function answer({ noun, name, given }: Question): Promise<Answer> {
  try {
    reads ??= open()
    const methods = reads[noun] as Record<string, (...given: unknown[]) => Promise<unknown>>
    return { value: await methods[name]?.(...given) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return { error: { message, code } }
  }
}

parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))
