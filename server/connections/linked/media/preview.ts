import { Worker } from 'node:worker_threads'
import { beside } from '../../../lib/beside.ts'
import { SECOND } from '../../../lib/time.ts'
import type { Thumbnail } from './thumbnail.ts'

/**
 * Longer than the largest picture takes on a slow PC; what is not done by then is made to be slow.
 * All numbers are ours.
 */
const LONGEST_MS = 10 * SECOND
/** An invoice takes some milliseconds, 32 MB of one a second. */
const LONGEST_PDF_MS = 2 * SECOND
const MOST_HEAP_MB = 256
const PICTURES = ['image/jpeg', 'image/png']

/** Files are read one after the other: a picture takes hundreds of megabytes while it lasts. */
let busy: Promise<unknown> = Promise.resolve()

/**
 * A small JPEG of an image file, made in a thread of its own (docs/decisions/0017-files-read.md).
 * Null where there is none to be had: another kind of file, damaged, too large, or too slow. Never
 * rejects: a message goes out without it, too.
 * @param path of a file that is no larger than WhatsApp takes
 */
export async function imagePreview(path: string, mimetype: string): Promise<Thumbnail | null> {
  if (!PICTURES.includes(mimetype)) return null
  return (await inTurn<Thumbnail | null>(path, mimetype, LONGEST_MS)) ?? null
}

/**
 * The number of pages of a PDF, found in the same way; undefined where it cannot be found. Never
 * rejects.
 */
export const pdfPages = (path: string): Promise<number | undefined> =>
  inTurn<number | undefined>(path, 'application/pdf', LONGEST_PDF_MS)

function inTurn<T>(path: string, mimetype: string, longestMs: number): Promise<T | undefined> {
  const found = busy.then(() => inThread<T>(path, mimetype, longestMs)).catch(() => undefined)
  busy = found
  return found
}

function inThread<T>(path: string, mimetype: string, longestMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(beside(import.meta.url, 'thumbnail-worker'), {
      workerData: { path, mimetype },
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      // The decoder of a damaged picture may print; nothing of it is wanted.
      stdout: true,
      stderr: true,
    })
    // A start of the thread on a busy PC is no work of the file's.
    let timer: NodeJS.Timeout | undefined
    worker.on('online', () => {
      timer = setTimeout(() => void worker.terminate(), longestMs)
    })
    let found: T | undefined
    worker.on('message', (message: T) => {
      found = message
    })
    worker.on('error', () => {
      found = undefined
    })
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(found)
    })
  })
}
