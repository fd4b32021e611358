import { ConnectionLost } from '../api/client.ts'
import { partsOf, saveFile } from './save-file.ts'

/**
 * Reads the export as it comes and tells how many rows there are so far; then hands the file to the browser.
 * @throws {ConnectionLost} when the server stops in the middle: half a file is never saved
 */
export async function exportCsv(path: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<number> {
  const response = await fetch(path, { signal })
  if (!response.ok || response.body === null) throw new ConnectionLost(`${path}: HTTP ${response.status}`)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let lines = 0
  for await (const part of partsOf(response.body)) {
    parts.push(part)
    lines += part.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0)
    onRows(Math.max(lines - 1, 0))
  }
  saveFile(new Blob(parts, { type: 'text/csv' }), `kurir-${new Date().toISOString().slice(0, 10)}.csv`)
  return Math.max(lines - 1, 0)
}

const NEWLINE = 10
