import { Worker } from 'node:worker_threads'
import { beside } from '../../lib/program.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'
import { MINUTE, SECOND } from '../../lib/time.ts'
import type { LargeReads } from './large-reads.ts'

/** Milliseconds for an answer, the wait for earlier ones included. */
const LONGEST = 30 * SECOND
const ENDS_AFTER = 2 * MINUTE
const MOST_HEAP_MB = 256

export type Question = { noun: keyof LargeReads; name: string; given: unknown[] } | 'fold'
export type Answer = { value: unknown } | { error: { message: string; code: string | undefined } }

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
    worker.on('message', (answer: Answer) => {
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

  function end(): Promise<unknown> {
    isEnding = thread !== undefined
    return thread?.terminate() ?? Promise.resolve()
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
