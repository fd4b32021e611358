import { ConnectionLost, problemOf } from './client.ts'
import { partsOf, saveFile } from './save-file.ts'

interface DownloadOptions {
  /** Makes it a POST with this as JSON. */
  body?: unknown
  /** How much has come so far, in percent. */
  onPercent?: (percent: number) => void
}

/**
 * Fetches a file and hands it to the browser under the name that the server gives; returns its size in bytes.
 * @throws {ApiError}; {ConnectionLost} also when the server stops in the middle: half a file is never saved
 */
export async function download(path: string, { body, onPercent }: DownloadOptions = {}): Promise<number> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const response = await fetch(path, {
    ...(body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new ConnectionLost(`${path} cannot be reached`, { cause })
  })
  if (!response.ok || response.body === null) throw await problemOf(path, response)
  const total = Number(response.headers.get('content-length'))
  try {
    for await (const part of partsOf(response.body)) {
      parts.push(part)
      bytes += part.length
      if (total > 0) onPercent?.(Math.floor((100 * bytes) / total))
    }
  } catch (cause) {
    throw new ConnectionLost(`${path} broke off`, { cause })
  }
  saveFile(new Blob(parts), nameOf(response))
  return bytes
}

const nameOf = (response: Response) =>
  /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'kurir'
