import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { beside } from '../../lib/program.ts'
import { StorageError } from '../../lib/storage-error.ts'

export const FILES = ['kurir.db', 'sessions.db'] as const

/**
 * Checks copies of both databases from the first page to the last, on a thread of its own: a large
 * one takes seconds.
 * @throws StorageError `damaged`
 */
export async function checkCopies(folder: string, signal?: AbortSignal): Promise<void> {
  const thread = new Worker(beside(import.meta.url, 'check-thread'), { workerData: { folder, names: FILES } })
  let damaged: string | null | undefined
  thread.on('message', (found: string | null) => {
    damaged = found
  })
  try {
    await once(thread, 'exit', { signal })
  } finally {
    void thread.terminate()
  }
  if (damaged !== null) throw new StorageError('damaged', damaged ?? folder)
}
