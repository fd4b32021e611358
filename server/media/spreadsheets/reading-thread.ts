// A thread that reads one file of a table; see reading.ts.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { readTable } from './read-table.ts'
import type { Reading, ReadingJob } from './reading.ts'
import { TableRefused } from './refused.ts'

// Lines that reach the program in one piece, and the disk in one commit: others wait for it.
const PORTION = 50

/** Resolves when the program has taken it: many at once would hold it up. */
async function post(reading: Reading): Promise<void> {
  parentPort?.postMessage(reading)
  if (parentPort !== null) await once(parentPort, 'message')
}

try {
  const { bytes, language, bounds } = workerData as ReadingJob
  const { lines, ...head } = readTable(bytes, language, bounds)
  await post({ kind: 'head', ...head, rows: lines.length })
  for (let at = 0; at < lines.length; at += PORTION) await post({ kind: 'lines', lines: lines.slice(at, at + PORTION) })
} catch (error) {
  if (!(error instanceof TableRefused)) throw error
  await post({ kind: 'refused', why: error.why })
}
