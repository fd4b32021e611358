import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pauseOf } from 'node:timers/promises'
import type { Pace } from './paces.ts'

export type BodyRefusal = 'too_large' | 'encoded' | 'incomplete' | 'too_slow' | 'too_many'

export class BodyError extends Error {
  readonly reason: BodyRefusal

  constructor(reason: BodyRefusal) {
    super(`the body was not read: ${reason}`)
    this.name = 'BodyError'
    this.reason = reason
  }
}

/** Counts the bytes of bodies in memory. Each caller has a share of its own. */
export interface ByteShares<K> {
  /** Takes bytes of the caller's share; false if not enough is left. */
  take(caller: K, bytes: number): boolean
  give(caller: K, bytes: number): void
}

/**
 * @param most bytes that one caller may have taken
 * @param ofAll bytes of all callers together. Beyond them one caller may have only `small`, so that
 *   large bodies of many callers keep no small body out.
 */
export function createByteShares<K>(most: number, ofAll = Number.POSITIVE_INFINITY, small = most): ByteShares<K> {
  const taken = new Map<K, number>()
  let all = 0
  return {
    take(caller, bytes) {
      const sum = (taken.get(caller) ?? 0) + bytes
      if (sum > (all + bytes > ofAll ? small : most)) return false
      taken.set(caller, sum)
      all += bytes
      return true
    },
    give(caller, bytes) {
      const had = taken.get(caller) ?? 0
      all -= Math.min(had, bytes)
      if (had > bytes) taken.set(caller, had - bytes)
      else taken.delete(caller)
    },
  }
}

export interface ReadBodyOptions {
  /** Bytes. */
  limit: number
  /** Milliseconds for the whole body. */
  within: number
  /** Takes room for this many more bytes; false if there is none. */
  take: (bytes: number) => boolean
  pace?: Pace
}

/**
 * Returns the Content-Length; 0 if there is none. Node has already refused a value that is no
 * number.
 */
export const announcedBytes = (req: IncomingMessage): number => Number(req.headers['content-length'] ?? 0)

/** Closes the connection of a request when nothing arrived for `idleMs` milliseconds; 0: never. */
export const hangUpAfter = (req: IncomingMessage, idleMs: number): void => void req.socket?.setTimeout(idleMs)

/** Stops reading for `wait` milliseconds. */
function pauseFor(req: IncomingMessage, wait: number): NodeJS.Timeout | undefined {
  if (wait <= 0) return undefined
  req.pause()
  return setTimeout(() => req.resume(), wait)
}

const UNPACED: Pace = () => 0

/**
 * Reads a body as bytes, whatever its type. Refuses a Content-Length above the limit before a byte
 * is read; counts a body without Content-Length as it arrives.
 * @throws BodyError
 */
export async function readBody(req: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new BodyError('encoded')
  const length = announcedBytes(req)
  if (length > options.limit) throw new BodyError('too_large')
  // A small body arrives together with its head, and is readable as soon as the parser has seen it.
  await undefined
  // Accept a whole body even if its sender has gone: some tills do not wait for an answer.
  if (length > 0 && req.readableLength === length) return readWhole(req, options)
  if (req.destroyed) throw new BodyError('incomplete')
  return readParts(req, options)
}

/**
 * Reads a body that has arrived whole, without the cost of a stream's listeners, timer and event
 * loop turns.
 */
function readWhole(req: IncomingMessage, { take, pace = UNPACED }: ReadBodyOptions): Buffer | Promise<Buffer> {
  const body = req.read() as Buffer
  // Lets the request end.
  req.resume()
  if (!take(body.length)) throw new BodyError('too_many')
  const wait = pace(body.length)
  return wait > 0 ? pauseOf(wait, body) : body
}

async function readParts(
  req: IncomingMessage,
  { limit, within, take, pace = UNPACED }: ReadBodyOptions,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const refuse = (reason: BodyRefusal) => reject(new BodyError(reason))
  const timer = setTimeout(refuse, within, 'too_slow')
  let pause: NodeJS.Timeout | undefined
  const onData = (part: Buffer) => {
    size += part.length
    if (size > limit) return refuse('too_large')
    if (!take(part.length)) return refuse('too_many')
    parts.push(part)
    pause = pauseFor(req, pace(part.length))
  }
  const onBroken = () => refuse('incomplete')
  const onEnd = () => {
    // 'close' follows at once, and creating its error costs more than reading the body.
    req.off('close', onBroken)
    resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, size))
  }
  req.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    clearTimeout(pause)
    req.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
  }
}

export interface DropOptions {
  /** Bytes. */
  most: number
  /** Milliseconds for the whole body. */
  within: number
  /** Longest time in milliseconds in which nothing arrives; default `within`. */
  idle?: number
  pace?: Pace
  /** Number of first bytes to return. */
  head?: number
}

/**
 * Receives and drops the rest of a refused request, so that its sender gets to read the answer. A
 * sender that is slow or sends much is cut off. Resolves with the first bytes.
 */
export async function dropBody(
  req: IncomingMessage,
  res: ServerResponse,
  { most, within, idle = within, pace = UNPACED, head = 0 }: DropOptions,
): Promise<Buffer> {
  const first: Buffer[] = []
  let room = head
  const keep = (part: Buffer | null) => {
    if (part === null || room <= 0) return
    // Copy, because a part of a buffer keeps the whole buffer in memory.
    first.push(Buffer.from(part.subarray(0, room)))
    room -= part.length
  }
  if (req.complete || req.destroyed) {
    if (req.readableLength > 0) keep(req.read(Math.min(req.readableLength, head)) as Buffer | null)
    return Buffer.concat(first)
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, within)
  const idleTimer = setTimeout(resolve, idle)
  let pause: NodeJS.Timeout | undefined
  let left = most
  const onData = (part: Buffer) => {
    idleTimer.refresh()
    keep(part)
    left -= part.length
    if (left < 0) resolve()
    else pause = pauseFor(req, pace(part.length))
  }
  const onEnd = () => resolve()
  req.on('data', onData).once('end', onEnd).once('error', onEnd).once('close', onEnd).resume()
  await promise
  clearTimeout(timer)
  clearTimeout(idleTimer)
  clearTimeout(pause)
  req.off('data', onData).off('end', onEnd).off('error', onEnd).off('close', onEnd)
  // Otherwise the sender could hold its connection for as long as it likes.
  if (!req.complete) res.shouldKeepAlive = false
  return Buffer.concat(first)
}

/**
 * Writes a whole answer before the body has arrived (`write` must not end the response), and closes
 * the connection when the body has ended or exceeds `options`. If the connection were closed at
 * once, the sender would see a broken connection in place of the answer.
 */
export async function answerBeforeBody(
  req: IncomingMessage,
  res: ServerResponse,
  write: () => void,
  options: DropOptions,
): Promise<void> {
  res.shouldKeepAlive = false
  write()
  await dropBody(req, res, options)
  res.end()
}

/**
 * Reads a whole stream.
 * @throws the error that `tooLarge` makes, if the stream has more than `most` bytes
 */
export async function readAll(stream: AsyncIterable<Buffer>, most: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > most) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the first `bytes` of a stream, and the rest of the chunk that holds the last of them. */
export async function readStart(stream: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= bytes) break
  }
  return Buffer.concat(chunks)
}
