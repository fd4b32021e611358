import { Worker } from 'node:worker_threads'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import { beside } from '../../lib/program.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'
import { createEnd, type Db } from './database.ts'
import type { LargeReads } from './large-reads.ts'

/** Longest time for an answer in milliseconds, including the wait for earlier reads. */
const LONGEST = 30 * SECOND
const ENDS_AFTER = 2 * MINUTE
const MOST_HEAP_MB = 256

export type Question = { noun: keyof LargeReads; name: string; given: unknown[] } | 'fold'
export type Answer = { value: unknown } | { error: { message: string; code: string | undefined } } | 'loaded'

interface Job {
  /** Question to the thread, or work on this thread. */
  does: Question | (() => void)
  resolve(value: unknown): void
  reject(reason: unknown): void
}

export interface Reader {
  reads: LargeReads
  /** Moves the write-ahead log into the database, as far as nobody writes meanwhile. */
  fold(): Promise<void>
  /**
   * Runs `work` on this thread while nothing is read, because a checkpoint would wait for a reader.
   */
  between(work: () => void): Promise<void>
  /** Ends the thread; unanswered reads are rejected. */
  close(): Promise<void>
}

/**
 * Runs large reads on a thread of their own, one after the other, in the order in which they were
 * asked. The thread has a connection that cannot write. It starts with the first read and ends
 * after a pause without reads, because it takes memory.
 * @param gone says why the file must not be opened; null: it may be opened
 */
export function createReader(file: string, gone: () => StorageError | null): Reader {
  const waiting: Job[] = []
  let running: Job | undefined
  let thread: Worker | undefined
  let endThread = async (): Promise<void> => undefined
  /** True from the order to end until the thread has ended; only then the next one starts. */
  let isEnding = false
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    const worker = new Worker(beside(import.meta.url, 'reader-thread'), {
      workerData: { file },
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    })
    let cause: unknown
    endThread = createEnd(worker)
    worker.on('message', (answer: Answer) => {
      if (answer === 'loaded') return
      if ('value' in answer) running?.resolve(answer.value)
      else running?.reject(asStorageError(Object.assign(new Error(answer.error.message), answer.error), file))
      running = undefined
      next()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      running?.reject(new StorageError('interrupted', file, cause))
      running = undefined
      thread = undefined
      isEnding = false
      next()
    })
    return worker
  }

  function next(): void {
    clearTimeout(idle)
    while (running === undefined && !isEnding) {
      const job = waiting.shift()
      if (job === undefined) {
        rest()
        return
      }
      if (typeof job.does === 'function') doNow(job, job.does)
      else begin(job, job.does)
    }
  }

  function doNow({ resolve, reject }: Job, work: () => void): void {
    try {
      resolve(work())
    } catch (error) {
      reject(error)
    }
  }

  function begin(job: Job, question: Question): void {
    running = job
    thread ??= start()
    thread.ref()
    thread.postMessage(question)
  }

  /** Lets the process end while the thread is idle, and ends the thread after a while. */
  function rest(): void {
    thread?.unref()
    idle = setTimeout(end, ENDS_AFTER).unref()
  }

  function end(): Promise<void> {
    isEnding = thread !== undefined
    return endThread()
  }

  function ask(question: Question): Promise<unknown> {
    // Check for a missing file only while the store is open, because closing it removes the log.
    const problem = isClosed ? new StorageError('interrupted', file) : gone()
    if (problem !== null) return Promise.reject(problem)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const job = { does: question, resolve, reject }
    const timer = setTimeout(() => {
      reject(new StorageError('slow', file))
      if (running === job) void end()
      else waiting.splice(waiting.indexOf(job), 1)
    }, LONGEST)
    waiting.push(job)
    next()
    return promise.finally(() => clearTimeout(timer))
  }

  function read<N extends keyof LargeReads, M extends keyof LargeReads[N] & string>(noun: N, name: M) {
    return ((...given: unknown[]) => ask({ noun, name, given })) as LargeReads[N][M]
  }

  return {
    reads: {
      messages: {
        list: read('messages', 'list'),
        after: read('messages', 'after'),
        tallyOfRecipient: read('messages', 'tallyOfRecipient'),
        peopleWrittenTo: read('messages', 'peopleWrittenTo'),
      },
      deliveries: { list: read('deliveries', 'list') },
      suppressions: { list: read('suppressions', 'list') },
    },
    async fold() {
      await ask('fold')
    },
    between: (does) =>
      new Promise((resolve, reject) => {
        waiting.push({ does, resolve: () => resolve(), reject })
        next()
      }),
    async close() {
      isClosed = true
      for (const { does, reject } of waiting)
        if (typeof does !== 'function') reject(new StorageError('interrupted', file))
      waiting.splice(0, waiting.length, ...waiting.filter(({ does }) => typeof does === 'function'))
      await end()
      clearTimeout(idle)
    },
  }
}

/** Writes after which the log is moved: some 4,000 pages if each write has its own commit. */
const FOLDED_EVERY = 500
/** Pages at which a commit itself moves the log, if folding comes too late: 32 MB. */
const MOST_PAGES = 8_000

/**
 * Moves the log into the database on the reader's thread. In a commit, 6,000 pages take 40 to 80 ms
 * on a fast disk, and nobody is answered meanwhile.
 * @param check looks whether the name still leads to the open file
 * @returns a function to call before each write
 */
export function foldingLog(db: Db, reader: Reader, check: () => void): () => void {
  let writes = 0
  let isFolding = false
  db.pragma(`wal_autocheckpoint = ${MOST_PAGES}`)

  async function fold(): Promise<void> {
    check()
    await reader.fold()
    // Move what was written meanwhile as well, because only an emptied log starts again from its
    // beginning.
    await reader.between(() => db.pragma('wal_checkpoint(PASSIVE)'))
  }

  return () => {
    writes += 1
    if (writes < FOLDED_EVERY || isFolding) return
    writes = 0
    isFolding = true
    fold()
      // The commits report a missing file or a full disk.
      .catch(() => undefined)
      .finally(() => {
        isFolding = false
      })
  }
}
