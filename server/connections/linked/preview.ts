import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { SECOND } from '../../lib/time.ts'
import type { Thumbnail } from './thumbnail.ts'

/** Longer than the largest picture takes on a slow PC; what is not done by then is made to be slow. */
const LONGEST = 10 * SECOND
const MOST_HEAP_MB = 256
const PICTURES = ['image/jpeg', 'image/png']

/** Pictures are decoded one after the other: each takes hundreds of megabytes while it lasts. */
let busy: Promise<unknown> = Promise.resolve()

/**
 * A small JPEG of an image file, made in a thread of its own (docs/decisions/0017-files-read.md). Null where there is none
 * to be had: another kind of file, damaged, too large, or too slow. Never rejects: a message goes out without it, too.
 * @param path of a file that is no larger than WhatsApp takes
 */
export function imagePreview(path: string, mimetype: string): Promise<Thumbnail | null> {
  if (!PICTURES.includes(mimetype)) return Promise.resolve(null)
  const preview = busy.then(() => inThread(path, mimetype)).catch(() => null)
  busy = preview
  return preview
}

function inThread(path: string, mimetype: string): Promise<Thumbnail | null> {
  // The compiler renames imports, but not the names of files.
  const script = new URL(`./thumbnail-worker${extname(import.meta.url)}`, import.meta.url)
  return new Promise((resolve) => {
    const worker = new Worker(script, {
      workerData: { path, mimetype },
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      // The decoder of a damaged picture may print; nothing of it is wanted.
      stdout: true,
      stderr: true,
    })
    const timer = setTimeout(() => void worker.terminate(), LONGEST)
    let made: Thumbnail | null = null
    worker.on('message', (thumbnail: Thumbnail | null) => {
      made = thumbnail
    })
    worker.on('error', () => {
      made = null
    })
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(made)
    })
  })
}
