import { ConnectionLost, problemOf, request } from './client.ts'
import { saveFile } from './save-file.ts'

interface DownloadOptions {
  /** JSON body of a POST. Absent: the request is a GET. */
  body?: unknown
  signal?: AbortSignal
  /** Default: the name that the server gives. */
  name?: string
  /**
   * Called with each part and the received share, 0 to 100. Null: the server did not say the size.
   */
  onPart?: (part: Uint8Array, percent: number | null) => void
}

/**
 * Fetches a file and saves it as a download of the browser. Resolves with its size in bytes.
 * @throws {ApiError}; {ConnectionLost}, also if the server stops in the middle: half a file is
 *   never saved
 */
export async function download(path: string, options: DownloadOptions = {}): Promise<number> {
  const { body, signal, name, onPart } = options
  const response = await request(path, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok || response.body === null) throw await problemOf(path, response)
  const total = Number(response.headers.get('content-length'))
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    for await (const part of partsOf(response.body)) {
      parts.push(part)
      bytes += part.length
      onPart?.(part, total > 0 ? Math.floor((100 * bytes) / total) : null)
    }
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ConnectionLost(`${path} broke off`, { cause: error })
  }
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  saveFile(new Blob(parts, { type }), name ?? nameFrom(response.headers))
  return bytes
}

/** Yields the parts of a body as they come. Not every browser can iterate a stream itself. */
async function* partsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
}

/** Returns the file name of a Content-Disposition header; `kurir` if it has none. */
export const nameFrom = (headers: Headers): string =>
  /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'kurir'
