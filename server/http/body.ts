import { isAscii } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { CharsetError, charsetOf, type DecodedText, decodeText } from '../lib/charset.ts'
import { SECOND } from '../lib/clock.ts'
import { freeTexts } from '../lib/heap.ts'
import { bytesWithoutNul, jsonFault, jsonSize } from '../lib/json.ts'
import { createPaces } from '../lib/paces.ts'
import { isBodyProved, watchBody } from '../lib/proof.ts'
import {
  announcedBytes,
  BodyError,
  type ByteShares,
  createByteShares,
  hangUpAfter,
  readAll,
  readBody,
} from '../lib/read-body.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import type { Caller } from './keys.ts'
import { hasRest } from './listen.ts'

export const NOTHING = Buffer.alloc(0)

/** Most bytes of a body, unless a route says otherwise. */
export const BODY_LIMIT = 256 * 1024
/**
 * Most bytes of a body for a route that sends. A text of 65,536 characters takes 384 KiB if a
 * serialiser escapes each of them with six bytes, and metadata takes 16 KiB.
 */
export const SEND_BODY_LIMIT = 512 * 1024
const READ_WITHIN = 30 * SECOND
/** Longest silence within a large body (ms). Our own limit. */
export const IDLE_MS = 30 * SECOND
/** Most bytes of one caller's bodies in memory at a time. */
const SHARE = 16 * 1024 * 1024
/** Bytes of all callers together. Above it each still gets a small share. Our own limit. */
const SHARE_OF_ALL = 96 * 1024 * 1024
const SMALL_SHARE = 1024 * 1024
/**
 * Rate limit for reading a caller's bodies, in bytes: the largest message eight times a second.
 * Reading takes the event loop about a hundredth of a second for each MiB.
 */
export const BODY_PACE = { perSecond: 4 * 1024 * 1024, atOnce: 1024 * 1024 }
/** Bytes above which a body is large. No till sends as much, so only large senders pay for it. */
const LARGE = 64 * 1024
/** Bytes of large bodies after which memory is freed: each takes several times its size. */
const FREED_EVERY = 8 * 1024 * 1024
// Most values in a JSON body. No request needs as many; the free metadata has at most 8,192.
const MOST_VALUES = 10_000
const DEEPEST = 64

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

export interface ParsedBody {
  body: unknown
  /** The text of the body as UTF-8. */
  raw: Buffer
  /** Charset that was assumed, because the call names none and the body is not UTF-8. */
  assumedCharset: string | null
}

/**
 * Parses a JSON body. Limits the number and depth of its values before it parses them.
 * @throws ApiError
 */
export function parseJson(bytes: Buffer, contentType: string | undefined, optional: boolean): ParsedBody {
  if (bytes.length === 0 && optional) return { body: undefined, raw: bytes, assumedCharset: null }
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw new ApiError('unsupported_media_type', 'Send JSON with the header "Content-Type: application/json".')
  }
  return readJson(bytes, contentType)
}

/** Parses a body as JSON, and takes only the charset from its content type. @throws ApiError */
export function readJson(bytes: Buffer, contentType: string | undefined): ParsedBody {
  const { text, assumed } = decodeBody(bytes, contentType)
  refuseMuchJson(text, 'body')
  try {
    const isUtf8 = assumed === null && /^(utf-?8)?$/.test(charsetOf(contentType) ?? '')
    return { body: JSON.parse(text), raw: isUtf8 ? bytes : Buffer.from(text), assumedCharset: assumed }
  } catch {
    throw new ApiError('invalid_json', faultWords(text))
  }
}

/** Reads bytes in the charset of their content type. @throws ApiError */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): DecodedText {
  try {
    return decodeText(bytes, charsetOf(contentType))
  } catch (error) {
    if (error instanceof CharsetError) throw new ApiError('unsupported_media_type', error.message)
    throw error
  }
}

/** Returns a sentence that says where a text stops being JSON, and which character is there. */
function faultWords(text: string): string {
  const at = jsonFault(text) ?? text.length
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const place = `line ${line}, column ${at - before.lastIndexOf('\n')}`
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (at === text.length) return `The JSON ends in the middle, at ${place}: a quote or a bracket is missing.`
  if (found === '\n' || found === '\r') return `The JSON has a line break within a text at ${place}. Write it as \\n.`
  if (found === '\\') return `The JSON has a single backslash at ${place}. Write two of them.`
  if (found === "'") return `The JSON has ' at ${place}. Write texts and names between double quotes.`
  const shown = /[\p{L}\p{N}\p{P}\p{S}]/u.test(found)
    ? found
    : `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return `The JSON is not valid at ${place}: ${shown} does not belong there. Look for a missing quote or comma before it.`
}

/** Refuses JSON text with too many or too deep values. @throws ApiError */
export function refuseMuchJson(text: string, field: string): void {
  const { depth, values } = jsonSize(text)
  if (depth > DEEPEST) throw invalidRequest([fieldProblem(field, 'too_deep', { max: DEEPEST })])
  if (values > MOST_VALUES) throw invalidRequest([fieldProblem(field, 'too_many', { max: MOST_VALUES })])
}

export const tooMuchAtOnce = () =>
  new ApiError(
    'rate_limited',
    'Too much is on its way at once, from this key or from all. Wait for some answers first.',
    {
      retry_after: 1,
    },
  )

export const notWhole = () => new ApiError('invalid_json', 'The body did not arrive whole.')

/** @throws ApiError if more bytes came than Content-Length says: the end of the text is missing */
async function refuseRest(req: IncomingMessage, bytes: Buffer): Promise<void> {
  // Only texts with characters of several bytes are counted wrong. Node reports the bytes after a
  // body later than the body.
  if (isAscii(bytes)) return
  await setImmediate()
  if (!hasRest(req)) return
  const words =
    'The body is longer than Content-Length says: count its bytes, not its characters. Nothing was accepted.'
  throw new ApiError('invalid_json', words)
}

const kibibytes = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`)

export const tooLongBody = (limit: number) =>
  new ApiError('payload_too_large', `The body is larger than ${kibibytes(limit)}. Send files by their address (file).`)

/** Turns a refusal of the body reader into an ApiError. Returns any other error unchanged. */
function asBodyError(error: unknown, limit: number): unknown {
  if (!(error instanceof BodyError)) return error
  switch (error.reason) {
    case 'too_large':
      return tooLongBody(limit)
    case 'encoded':
      return new ApiError('unsupported_media_type', 'Send the body as plain JSON in UTF-8, without compression.')
    case 'too_many':
      return tooMuchAtOnce()
    case 'too_slow':
      return new ApiError('invalid_json', `The body did not arrive within ${READ_WITHIN / SECOND} s.`)
    case 'incomplete':
      return notWhole()
  }
}

/** Refuses a body whose Content-Length is above `most`, before a byte is read. @throws ApiError */
export function refuseTooLong(req: IncomingMessage, most: number, message: string): void {
  if (announcedBytes(req) > most) throw new ApiError('payload_too_large', message)
}

/** Refuses a long body for a route without one: some programs send a small one. @throws ApiError */
export const refuseLongBody = (req: IncomingMessage): void =>
  refuseTooLong(req, BODY_LIMIT, `This takes no body, and none above ${kibibytes(BODY_LIMIT)} is read.`)

/**
 * Yields a body of any size as it arrives.
 * @throws ApiError if it is cut off, or at its end if the request proved another body
 */
export async function* streamBody(req: IncomingMessage): AsyncGenerator<Buffer> {
  const watch = watchBody(req)
  hangUpAfter(req, IDLE_MS)
  try {
    for await (const part of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      watch.see(part)
      yield part
    }
  } catch {
    // The client went away.
    throw notWhole()
  } finally {
    hangUpAfter(req, 0)
  }
  if (!watch.isProved()) throw notWhole()
}

export type ReadBytes = (req: IncomingMessage, caller: Caller, limit?: number) => Promise<Buffer>

export interface BodyReader {
  readBytes: ReadBytes
  /** Returns how long a caller waits after so many bytes, in milliseconds. */
  pace(caller: Caller, bytes: number): number
  /** Counts the event loop time that a caller's body took, in milliseconds. */
  worked(caller: Caller, ms: number): void
}

export const createBodyShares = (): ByteShares<CallerName> => createByteShares(SHARE, SHARE_OF_ALL, SMALL_SHARE)

/** Name under which a caller's calls are counted: the number of its key, else its kind. */
export type CallerName = number | Caller['kind']

export const nameOf = (caller: Caller): CallerName => (caller.kind === 'key' ? caller.key.number : caller.kind)

/** Creates a reader that limits the bytes of each caller in memory, for the others' sake. */
export function createBodyReader(): BodyReader {
  const shares = createBodyShares()
  const paces = createPaces<CallerName>(BODY_PACE)
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
      await refuseRest(req, bytes)
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

/**
 * Runs `work`, which reads a large body. If it fails, reads the rest of the body before it throws,
 * because a client that still sends would see a broken connection in place of the answer. It throws
 * at once if no byte of the body was read yet, or if its length is unknown.
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

/** Reads a body that is a file. @throws ApiError `payload_too_large` with the words `tooLarge` */
export function readFile(req: IncomingMessage, most: number, tooLarge: string): Promise<Buffer> {
  return readWhole(req, () => {
    refuseTooLong(req, most, tooLarge)
    return readAll(streamBody(req), most, () => new ApiError('payload_too_large', tooLarge))
  })
}
