import { ConnectionLost, problemOf, request } from './client.ts'
import { saveFile } from './save-file.ts'

interface DownloadOptions {
  /** Makes it a POST with this as JSON. */
  body?: unknown
  signal?: AbortSignal
  /** Instead of the name that the server gives. */
  name?: string
  /**
   * Called with each part and how much has come so far: 0 to 100, null while the server does not
   * say how much there is.
   */
  onPart?: (part: Uint8Array, percent: number | null) => void
}

/**
 * Fetches a file and saves it as the browser does with downloads; returns its size in bytes.
 * @throws {ApiError}; {ConnectionLost} also when the server stops in the middle: half a file is
 * never saved
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

/** The parts of a body as they come; not every browser can iterate a stream itself. */
async function* partsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
}

/** The file name of a Content-Disposition header. */
export const nameFrom = (headers: Headers): string =>
  /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'kurir'
