import { ConnectionLost } from '../api/client.ts'

/**
 * Reads the export as it comes and tells how many rows there are so far; then hands the file to the browser.
 * @throws {ConnectionLost} when the server stops in the middle: half a file is never saved
 */
export async function exportCsv(path: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<number> {
  const response = await fetch(path, { signal })
  if (!response.ok || response.body === null) throw new ConnectionLost(`${path}: HTTP ${response.status}`)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let lines = 0
  for await (const part of readable(response.body)) {
    parts.push(part)
    lines += part.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0)
    onRows(Math.max(lines - 1, 0))
  }
  save(new Blob(parts, { type: 'text/csv' }))
  return Math.max(lines - 1, 0)
}

const NEWLINE = 10

async function* readable(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
}

function save(file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = `kurir-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
