import { ConnectionLost } from './client.ts'
import { partsOf, saveFile } from './save-file.ts'

/**
 * Reads the export as it comes and tells how many rows there are so far; then hands the file to the browser.
 * @throws {ConnectionLost} when the server stops in the middle: half a file is never saved
 */
export async function exportCsv(path: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<number> {
  const response = await fetch(path, { signal })
  if (!response.ok || response.body === null) throw new ConnectionLost(`${path}: HTTP ${response.status}`)
  const parts: Uint8Array<ArrayBuffer>[] = []
  const lines = lineCounter()
  for await (const part of partsOf(response.body)) {
    parts.push(part)
    onRows(rowsOf(lines(part)))
  }
  saveFile(new Blob(parts, { type: 'text/csv' }), `kurir-${new Date().toISOString().slice(0, 10)}.csv`)
  return rowsOf(lines(new Uint8Array()))
}

const NEWLINE = 10
const QUOTE = 34
const rowsOf = (lines: number) => Math.max(lines - 1, 0)

/** Counts the lines of a table that comes in parts; a line that ends inside quotes is part of a cell. */
export function lineCounter(): (part: Uint8Array) => number {
  let lines = 0
  let quoted = false
  return (part) => {
    for (const byte of part) {
      // A quote inside a cell is doubled, which leaves this as it was.
      if (byte === QUOTE) quoted = !quoted
      else if (byte === NEWLINE && !quoted) lines += 1
    }
    return lines
  }
}
