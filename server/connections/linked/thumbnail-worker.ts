// A thread that makes one thumbnail and ends; see preview.ts.
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { makeThumbnail } from './thumbnail.ts'

const { path, mimetype } = workerData as { path: string; mimetype: string }
parentPort?.postMessage(makeThumbnail(readFileSync(path), mimetype))
