// A thread that reads one file of a table; see reading.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { readTable } from './read-table.ts'
import type { Reading, ReadingJob } from './reading.ts'
import { TableRefused } from './refused.ts'

// Lines that reach the program in one piece, and the disk in one commit: others wait for it.
const PORTION = 50

function post(reading: Reading): void {
  parentPort?.postMessage(reading)
}

try {
  const { bytes, language, bounds } = workerData as ReadingJob
  const { lines, ...head } = readTable(bytes, language, bounds)
  post({ kind: 'head', ...head, rows: lines.length })
  for (let at = 0; at < lines.length; at += PORTION) post({ kind: 'lines', lines: lines.slice(at, at + PORTION) })
} catch (error) {
  if (!(error instanceof TableRefused)) throw error
  post({ kind: 'refused', why: error.why })
}
