import { Worker } from 'node:worker_threads'
import type { Language } from '../../contract/settings.ts'
import { SECOND } from '../../lib/clock.ts'
import { beside } from '../../lib/program.ts'
import { type RefusedTable, TableRefused } from './refused.ts'
import type { SheetBounds, SheetLine } from './xlsx.ts'

/**
 * Time limit in milliseconds. 5,000 rows of 20 columns take a second on a slow PC, so a file that
 * takes longer than the limit was built to be slow.
 */
const LONGEST_MS = 15 * SECOND
const MOST_HEAP_MB = 256

export interface ReadingJob {
  bytes: Uint8Array
  language: Language
  bounds: SheetBounds
}

export interface TableHead {
  columns: string[]
  names: SheetLine | null
  rows: number
}

/** Messages of the thread: first a head, then its lines; or a refusal. */
export type Reading =
  | ({ kind: 'head' } & TableHead)
  | { kind: 'lines'; lines: SheetLine[] }
  | { kind: 'refused'; why: RefusedTable }

/** The last read. Files are read one by one, because each takes memory. */
let busy: Promise<unknown> = Promise.resolve()

/**
 * Reads a table file in its own thread (docs/decisions/0120-tables.md).
 * @throws TableRefused
 */
export function readInThread(job: ReadingJob): Promise<TableHead & { portions: SheetLine[][] }> {
  const read = busy.then(() => inThread(job))
  busy = read.catch(() => undefined)
  return read
}

function inThread(job: ReadingJob): Promise<TableHead & { portions: SheetLine[][] }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(beside(import.meta.url, 'reading-thread'), {
      workerData: job,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      stdout: true,
      stderr: true,
    })
    let timer: NodeJS.Timeout | undefined
    let why: RefusedTable = 'too_large'
    let head: TableHead | undefined
    const portions: SheetLine[][] = []
    worker.on('online', () => {
      timer = setTimeout(() => {
        why = 'too_slow'
        head = undefined
        void worker.terminate()
      }, LONGEST_MS)
    })
    worker.on('message', (reading: Reading) => {
      if (reading.kind === 'head') head = { columns: reading.columns, names: reading.names, rows: reading.rows }
      if (reading.kind === 'lines') portions.push(reading.lines)
      if (reading.kind === 'refused') why = reading.why
      worker.postMessage('taken')
    })
    // Out of memory, or a fault in a library: only the file is refused.
    worker.on('error', (error: { code?: string }) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') why = 'not_a_table'
      head = undefined
    })
    worker.on('exit', () => {
      clearTimeout(timer)
      if (head === undefined) reject(new TableRefused(why))
      else resolve({ ...head, portions })
    })
  })
}
