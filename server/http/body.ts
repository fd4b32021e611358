import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../access/caller.ts'
import { ApiError, fieldProblem, invalidRequest } from '../contract/errors.ts'
import { freeTexts } from '../lib/free-buffers.ts'
import { jsonSize } from '../lib/json-size.ts'
import { isBodyProved, provedBy } from '../lib/proof.ts'
import {
  announcedBytes,
  BodyError,
  createBytePaces,
  createByteShares,
  hangUpAfter,
  readBody,
} from '../lib/read-body.ts'
import { SECOND } from '../lib/time.ts'
import { bytesWithoutNul } from '../lib/without-nul.ts'

/** Most bytes of a body, unless a route says otherwise. */
const BODY_LIMIT = 256 * 1024
const READ_WITHIN = 30 * SECOND
/** Longest silence within a large body (ms). Ours. */
export const IDLE_MS = 30 * SECOND
/** Most bytes of one caller that may be on their way at a time. */
export const SHARE = 16 * 1024 * 1024
/** How quickly bodies are read: the largest message of a till, eight times a second. Bytes. */
export const BODY_PACE = { perSecond: 4 * 1024 * 1024, atOnce: 1024 * 1024 }
/** No till sends as much, so that what follows costs only those who do. Bytes. */
const LARGE = 64 * 1024
/**
 * After so many bytes of large bodies they are freed: a megabyte of text is several in buffers and
 * strings.
 */
const FREED_EVERY = 8 * 1024 * 1024
// No request needs as many; the free metadata holds 8,192 at most.
const MOST_VALUES = 10_000
const DEEPEST = 64

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * The JSON of a body, bounded before it is made. Nothing but JSON in UTF-8 is taken.
 * @throws ApiError
 */
export function parseJson(bytes: Buffer, contentType: string | undefined, optional: boolean): unknown {
  if (bytes.length === 0 && optional) return undefined
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw new ApiError('unsupported_media_type', 'Send JSON with the header "Content-Type: application/json".')
  }
  const text = decode(bytes)
  refuseMuchJson(text, 'body')
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

/** Refuses a text that would become too many values. @throws ApiError */
export function refuseMuchJson(text: string, field: string): void {
  const { depth, values } = jsonSize(text)
  if (depth > DEEPEST) throw invalidRequest([fieldProblem(field, 'too_deep', { max: DEEPEST })])
  if (values > MOST_VALUES) throw invalidRequest([fieldProblem(field, 'too_many', { max: MOST_VALUES })])
}

const notJson = () =>
  new ApiError('invalid_json', 'The body is not valid JSON in UTF-8. Check it for a missing quote or comma.')

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson()
  }
}

export const tooMuchAtOnce = () =>
  new ApiError('rate_limited', 'Too much is on its way from this key at once. Wait for some answers first.', {
    retry_after: 1,
  })

const kibibytes = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`)

/** Turns a refusal of the body reader into an error of ours. */
function asBodyError(error: unknown, limit: number): unknown {
  if (!(error instanceof BodyError)) return error
  switch (error.reason) {
    case 'too_large':
      return new ApiError(
        'payload_too_large',
        `The body is larger than ${kibibytes(limit)}. Send files by their address (file).`,
      )
    case 'encoded':
      return new ApiError('unsupported_media_type', 'Send the body as plain JSON in UTF-8, without compression.')
    case 'too_many':
      return tooMuchAtOnce()
    case 'too_slow':
      return new ApiError('invalid_json', `The body did not arrive within ${READ_WITHIN / SECOND} s.`)
    case 'incomplete':
      return new ApiError('invalid_json', 'The body did not arrive whole.')
  }
}

/** Refuses what is too long by its own head, before a byte of it is read. @throws ApiError */
export function refuseTooLong(req: IncomingMessage, most: number, message: string): void {
  if (announcedBytes(req) > most) throw new ApiError('payload_too_large', message)
}

/** For a route that takes none: some programs send a small one with everything. @throws ApiError */
export const refuseLongBody = (req: IncomingMessage): void =>
  refuseTooLong(req, BODY_LIMIT, `This takes no body, and none above ${kibibytes(BODY_LIMIT)} is read.`)

/**
 * A body of any size as it comes.
 * @throws ApiError where it is cut off, or at its end where another one was proved
 */
export async function* streamBody(req: IncomingMessage): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  hangUpAfter(req, IDLE_MS)
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      digest.update(part)
      yield part
    }
  } catch {
    // Its sender went away.
    throw asBodyError(new BodyError('incomplete'), 0)
  } finally {
    hangUpAfter(req, 0)
  }
  const expected = provedBy(req)?.bodyHash
  if (expected !== undefined && expected !== digest.digest('base64url'))
    throw asBodyError(new BodyError('incomplete'), 0)
}

export type ReadBytes = (req: IncomingMessage, caller: Caller, limit?: number) => Promise<Buffer>

export interface BodyReader {
  readBytes: ReadBytes
  /** How long a caller waits after so many bytes. Milliseconds. */
  pace(caller: Caller, bytes: number): number
  /** Counts what a body of a caller took of the event loop. Milliseconds. */
  worked(caller: Caller, ms: number): void
}

const nameOf = (caller: Caller): number | Caller['kind'] => (caller.kind === 'key' ? caller.key.number : caller.kind)

/**
 * Reads bodies; what is on its way from one caller is bounded, so that none takes memory and time
 * of the others.
 */
export function createBodyReader(): BodyReader {
  const shares = createByteShares<number | Caller['kind']>(SHARE)
  const paces = createBytePaces<number | Caller['kind']>(BODY_PACE)
  let sinceFreed = 0
  const readBytes: ReadBytes = async (req, caller, limit = BODY_LIMIT) => {
    const owner = nameOf(caller)
    let taken = 0
    const take = (bytes: number): boolean => {
      if (!shares.take(owner, bytes)) return false
      taken += bytes
      return true
    }
    try {
      const pace = (bytes: number) => paces.after(owner, bytes)
      const bytes = await readBody(req, { limit, within: READ_WITHIN, take, pace })
      if (!isBodyProved(req, bytes)) throw new BodyError('incomplete')
      return bytesWithoutNul(bytes)
    } catch (error) {
      throw asBodyError(error, limit)
    } finally {
      shares.give(owner, taken)
      if (taken > LARGE) sinceFreed += taken
      if (sinceFreed > FREED_EVERY) {
        sinceFreed = 0
        freeTexts()
      }
    }
  }
  return {
    readBytes,
    pace: (caller, bytes) => paces.after(nameOf(caller), bytes),
    worked: (caller, ms) => paces.worked(nameOf(caller), ms),
  }
}
