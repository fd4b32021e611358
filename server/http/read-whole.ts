import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'

/** Runs what reads a large body. A client that still sends when an error is answered would see a broken connection instead. */
export async function readWhole<T>(req: IncomingMessage, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    req.resume()
    await finished(req, { writable: false }).catch(() => undefined)
    throw error
  }
}
