// A thread that reads one file for its preview and ends; see preview.ts.
import { readFileSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { countPages, MOST_PDF_BYTES } from './pdf-pages.ts'
import { makeThumbnail } from './thumbnail.ts'

const { path, mimetype } = workerData as { path: string; mimetype: string }
if (mimetype === 'application/pdf') {
  parentPort?.postMessage(statSync(path).size > MOST_PDF_BYTES ? undefined : countPages(readFileSync(path)))
} else {
  parentPort?.postMessage(makeThumbnail(readFileSync(path), mimetype))
}
