import { Worker } from 'node:worker_threads'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import { beside } from '../../lib/program.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'
import { createEnd, type Db } from './database.ts'
import type { LargeReads } from './large-reads.ts'

/** Milliseconds for an answer, the wait for earlier ones included. */
const LONGEST = 30 * SECOND
const ENDS_AFTER = 2 * MINUTE
const MOST_HEAP_MB = 256

export type Question = { noun: keyof LargeReads; name: string; given: unknown[] } | 'fold'
export type Answer = { value: unknown } | { error: { message: string; code: string | undefined } } | 'loaded'

interface Job {
  /** Question to the thread, or work that is done here. */
  does: Question | (() => void)
  resolve(value: unknown): void
  reject(reason: unknown): void
}

export interface Reader {
  reads: LargeReads
  /** Moves the log into the database, as far as nobody writes meanwhile. */
  fold(): Promise<void>
  /** Runs `work` here while nothing is read: a checkpoint would wait for a reader. */
  between(work: () => void): Promise<void>
  /** Ends the thread; reads that are not answered are rejected. */
  close(): Promise<void>
}

/**
 * Answers large reads on a thread of their own, one after the other in the order in which they
 * come. The thread has a connection that cannot write, begins with the first read, and ends when
 * nobody has asked for a while: it takes memory.
 * @param gone says why the file must not be opened any more; null: it may
 */
export function createReader(file: string, gone: () => StorageError | null): Reader {
  const waiting: Job[] = []
  let running: Job | undefined
  let thread: Worker | undefined
  let endThread = async (): Promise<void> => undefined
  /** The thread has been told to end; the next one begins when it has. */
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

  /** An idle thread keeps no process alive. */
  function rest(): void {
    thread?.unref()
    idle = setTimeout(end, ENDS_AFTER).unref()
  }

  function end(): Promise<void> {
    isEnding = thread !== undefined
    return endThread()
  }

  function ask(question: Question): Promise<unknown> {
    // Closing takes the log away: a file that lacks one is gone only while it is open.
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

/** Writes after which the log is moved: some 4,000 pages where each has a commit of its own. */
const FOLDED_EVERY = 500
/** Pages of a log that a commit moves itself, where that comes too late: 32 MB. */
const MOST_PAGES = 8_000

/**
 * Moves the log into the database on the reader's thread: in a commit 6,000 pages take 40 to 80 ms
 * on a fast disk, in which nobody is answered.
 * @param check looks whether the name still leads to the file that is open
 * @returns to be called before each write
 */
export function foldingLog(db: Db, reader: Reader, check: () => void): () => void {
  let writes = 0
  let isFolding = false
  db.pragma(`wal_autocheckpoint = ${MOST_PAGES}`)

  async function fold(): Promise<void> {
    check()
    await reader.fold()
    // The little that was written meanwhile: only a log of which nothing is left begins again.
    await reader.between(() => db.pragma('wal_checkpoint(PASSIVE)'))
  }

  return () => {
    writes += 1
    if (writes < FOLDED_EVERY || isFolding) return
    writes = 0
    isFolding = true
    fold()
      // A file that is gone, or a disk that is full: the commits say so.
      .catch(() => undefined)
      .finally(() => {
        isFolding = false
      })
  }
}
