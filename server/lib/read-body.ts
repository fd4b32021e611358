import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pauseOf } from 'node:timers/promises'
import type { Pace } from './paces.ts'

/** Why a body was not read. */
export type BodyRefusal = 'too_large' | 'encoded' | 'incomplete' | 'too_slow' | 'too_many'

export class BodyError extends Error {
  readonly reason: BodyRefusal

  constructor(reason: BodyRefusal) {
    super(`the body was not read: ${reason}`)
    this.name = 'BodyError'
    this.reason = reason
  }
}

/** Bytes of bodies that are held at the same time, each caller with a share of its own. */
export interface ByteShares<K> {
  /** Takes room in a caller's share; false when there is not enough left. */
  take(caller: K, bytes: number): boolean
  give(caller: K, bytes: number): void
}

/**
 * @param most bytes that one caller may have taken
 * @param ofAll bytes of all callers together; beyond them one may have only `small`, so that large
 *   bodies of many keep no small one out
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
  /** Milliseconds for the whole of it. */
  within: number
  /** True if there is room for this many more bytes. */
  take: (bytes: number) => boolean
  pace?: Pace
}

/** The length that the head says; 0: none. Node has refused what is no number. */
export const announcedBytes = (req: IncomingMessage): number => Number(req.headers['content-length'] ?? 0)

/** Hangs up on a sender of whom nothing came for so long. Milliseconds; 0: it is not waited for. */
export const hangUpAfter = (req: IncomingMessage, idleMs: number): void => void req.socket?.setTimeout(idleMs)

/** Reads no more for so long. Milliseconds. */
function pauseFor(req: IncomingMessage, wait: number): NodeJS.Timeout | undefined {
  if (wait <= 0) return undefined
  req.pause()
  return setTimeout(() => req.resume(), wait)
}

const UNPACED: Pace = () => 0

/**
 * Reads a body as bytes, whatever it claims to be. A length that is too great is refused before a
 * byte is read; what does not say its length is counted as it comes.
 * @throws BodyError
 */
export async function readBody(req: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new BodyError('encoded')
  const length = announcedBytes(req)
  if (length > options.limit) throw new BodyError('too_large')
  // A small body comes together with its head, and is here as soon as the parser has seen it.
  await undefined
  // Whole although its sender went away: some tills wait for no answer.
  if (length > 0 && req.readableLength === length) return readWhole(req, options)
  if (req.destroyed) throw new BodyError('incomplete')
  return readParts(req, options)
}

/** Reads a body that has arrived whole, without a stream's listeners, timer and turns. */
function readWhole(req: IncomingMessage, { take, pace = UNPACED }: ReadBodyOptions): Buffer | Promise<Buffer> {
  const body = req.read() as Buffer
  // So that it comes to its end.
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
    // It follows at once, and to make an error costs more than to read a body.
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
  /** Milliseconds for the whole of it. */
  within: number
  /** Milliseconds in which nothing comes; left out, as long as `within`. */
  idle?: number
  pace?: Pace
  /** Number of the first bytes that are returned. */
  head?: number
}

/**
 * Lets what is left of a refused request arrive and drops it, so that its sender gets to read the
 * answer; a sender that is slow, or sends much, is cut off. Resolves with its first bytes.
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
    // A copy: a part of a buffer would hold all of it.
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
  // Otherwise it could hold its connection for as long as it likes.
  if (!req.complete) res.shouldKeepAlive = false
  return Buffer.concat(first)
}

/**
 * Writes a whole answer (`write` ends nothing) before the body has come, and closes the connection
 * when the body is over or `options` say so: closed at once, its sender would see a broken
 * connection in place of the answer.
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

/** All of a stream. @throws what `tooLarge` makes, where it has more than `most` bytes */
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

/** The first `bytes` of a stream, and what came together with the last of them. */
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
