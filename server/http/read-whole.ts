import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { announcedBytes } from '../lib/read-body.ts'

/**
 * Runs what reads a large body. A client that still sends when an error is answered would see a
 * broken connection instead, so that what was begun is read to its end where its length is known.
 * An error before the first byte of the body is answered at once.
 */
export async function readWhole<T>(req: IncomingMessage, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!req.readableDidRead || announcedBytes(req) === 0) throw error
    req.resume()
    await finished(req, { writable: false }).catch(() => undefined)
    throw error
  }
}
