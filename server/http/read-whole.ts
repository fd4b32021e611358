import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { ApiError } from '../contract/errors.ts'
import { announcedBytes, readAll } from '../lib/read-body.ts'

import { refuseTooLong, streamBody } from './body.ts'

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

/** The file that a body is. @throws ApiError `payload_too_large`, with this message */
export function readFile(req: IncomingMessage, most: number, tooLarge: string): Promise<Buffer> {
  return readWhole(req, () => {
    refuseTooLong(req, most, tooLarge)
    return readAll(streamBody(req), most, () => new ApiError('payload_too_large', tooLarge))
  })
}
