// The thread that reads one table file; see reading.ts.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { readTable } from './read-table.ts'
import type { Reading, ReadingJob } from './reading.ts'
import { TableRefused } from './refused.ts'

// Number of lines in one message and in one commit. Other work waits for each, so it is small.
const PORTION = 50

/** Posts one piece; resolves when the main thread has taken it, because many would block it. */
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
