import { rm } from 'node:fs/promises'
import { type Dispatcher, request } from 'undici'
import type { FailureCode } from '../contract/failures.ts'
import { type Clock, MINUTE, SECOND } from '../lib/clock.ts'
import { describeNetworkError } from '../lib/net-errors.ts'
import { AddressBlocked, AnswerTooLong } from '../lib/net-guard.ts'
import { sleep } from '../lib/sleep.ts'
import { namesOf } from './file-name.ts'
import { FileRefused, type MediaFile, saveFile } from './save.ts'

/** The URLs of a download, newest first: the file's own, the redirects, the caller's. */
type Trail = readonly [URL, ...URL[]]

/** The answer of a file server whose headers are read and whose body is not. */
interface Answer {
  host: string
  urls: Trail
  contentType: string | undefined
  disposition: string | undefined
  /** Content-Length as the server announced it, in bytes. */
  length: number | undefined
  /** Rejects with MediaFailure. */
  body: AsyncIterable<Buffer>
  /** Closes the connection, also if the body was not read to its end. */
  discard(): void
}

const MOST_REDIRECTS = 5
/** Longest address of a redirect; an address from a caller has the same limit. */
const LONGEST_ADDRESS = 2048
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Requests a file and follows redirects, each over a new connection that the dispatcher checks.
 * Rejects with MediaFailure.
 */
async function openUrl(address: string, dispatcher: Dispatcher, watchdog: Watchdog): Promise<Answer> {
  let urls: Trail = [checkedUrl(address)]
  for (;;) {
    const [url] = urls
    const response = await get(url, dispatcher, watchdog)
    const location = header(response, 'location')
    if (!REDIRECTS.has(response.statusCode) || location === undefined) return toAnswer(response, urls, watchdog)
    discard(response)
    if (urls.length > MOST_REDIRECTS) {
      throw new MediaFailure('media_unreachable', `${urls.at(-1)?.host} redirects more than ${MOST_REDIRECTS} times.`)
    }
    watchdog.touch()
    urls = [checkedUrl(location, url), ...urls]
  }
}

function checkedUrl(address: string, base?: URL): URL {
  const from = base === undefined ? '' : `${base.host} redirects to an address that cannot be used: `
  if (address.length > LONGEST_ADDRESS) {
    throw new MediaFailure('media_invalid', `${from}it is longer than ${LONGEST_ADDRESS} characters.`)
  }
  if (!URL.canParse(address, base?.href)) throw new MediaFailure('media_invalid', `${from}it is not a URL.`)
  const url = new URL(address, base?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new MediaFailure('media_invalid', `${from}only http and https can be opened, not ${url.protocol}//.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new MediaFailure('media_invalid', `${from}a name or password in the address is not accepted (${url.host}).`)
  }
  return url
}

async function get(url: URL, dispatcher: Dispatcher, watchdog: Watchdog): Promise<Dispatcher.ResponseData> {
  try {
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Kurir' }
    return await request(url, { dispatcher, signal: watchdog.signal, headers })
  } catch (error) {
    throw networkFailure(url.host, watchdog, error)
  }
}

function toAnswer(response: Dispatcher.ResponseData, urls: Trail, watchdog: Watchdog): Answer {
  const host = urls[0].host
  const { statusCode } = response
  if (statusCode !== 200) {
    discard(response)
    throw new MediaFailure('media_unreachable', `${host} answered ${statusCode} instead of the file.`, {
      passing: statusCode >= 500 || statusCode === 408 || statusCode === 429,
    })
  }
  const encoding = header(response, 'content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    discard(response)
    throw new MediaFailure('media_invalid', `${host} sends the file compressed (${encoding}), which was not asked for.`)
  }
  const length = header(response, 'content-length')
  return {
    host,
    urls,
    contentType: header(response, 'content-type'),
    disposition: header(response, 'content-disposition'),
    length: length === undefined ? undefined : Number(length),
    body: readBody(response, host, watchdog),
    discard: () => discard(response),
  }
}

async function* readBody(response: Dispatcher.ResponseData, host: string, watchdog: Watchdog): AsyncGenerator<Buffer> {
  try {
    yield* response.body
  } catch (error) {
    throw networkFailure(host, watchdog, error)
  }
}

function networkFailure(host: string, { signal }: Watchdog, thrown: unknown): MediaFailure {
  const error: unknown = signal.aborted ? signal.reason : thrown
  if (error instanceof AddressBlocked) {
    return new MediaFailure('media_blocked', error.message, {
      cause: error,
      hint: `If ${host} is your own server, add ${error.host} to the allowed media hosts in Settings.`,
    })
  }
  const message = `${host} could not be read: ${describeNetworkError(error)}.`
  return new MediaFailure('media_unreachable', message, { passing: !(error instanceof AnswerTooLong), cause: error })
}

function header(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Destroys a body, because an unread body keeps its socket. The listener ignores the abort error
 * that this causes.
 */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy()
}

export type { MediaFile } from './save.ts'

/**
 * Downloads `url` to the file `path`. When this resolves, the file is complete and on disk; when it
 * rejects, the file does not exist. Rejects with MediaFailure, with the signal's reason, or with
 * the error of the disk.
 */
export type FetchMedia = (url: string, path: string, signal: AbortSignal) => Promise<MediaFile>

const RETRY_DELAYS = [SECOND, 4 * SECOND, 16 * SECOND]

/** @param dispatcher must be guarded, because it decides which addresses may be called */
export function createMediaFetcher(dispatcher: Dispatcher, clock: Clock): FetchMedia {
  const attempt = async (url: string, path: string, signal: AbortSignal): Promise<MediaFile> => {
    const watchdog = startWatchdog(clock, signal)
    try {
      return await save(await openUrl(url, dispatcher, watchdog), path, watchdog)
    } catch (error) {
      await rm(path, { force: true })
      signal.throwIfAborted()
      throw error
    } finally {
      watchdog.stop()
    }
  }

  return async (url, path, signal) => {
    for (const delay of RETRY_DELAYS) {
      try {
        return await attempt(url, path, signal)
      } catch (error) {
        if (!(error instanceof MediaFailure && error.passing)) throw error
      }
      await sleep(clock, delay, signal)
    }
    return attempt(url, path, signal)
  }
}

async function save(answer: Answer, path: string, watchdog: Watchdog): Promise<MediaFile> {
  try {
    const { body, contentType, length: announced } = answer
    const names = namesOf(answer.disposition, answer.urls)
    return await saveFile({ body, names, contentType, announced, onChunk: watchdog.touch }, path)
  } catch (error) {
    throw error instanceof FileRefused ? refused(error, answer.host) : error
  } finally {
    answer.discard()
  }
}

function refused({ reason, kind, cap }: FileRefused, host: string): MediaFailure {
  if (reason === 'empty') return new MediaFailure('media_invalid', `${host} answered with an empty file.`)
  return new MediaFailure('media_too_large', `The ${kind} on ${host} is larger than ${cap / 1024 / 1024} MB.`)
}

type MediaFailureCode = Extract<FailureCode, `media_${string}`>

/**
 * The reason why a file could not be fetched. The message names its host. `hint` is set only if the
 * usual hint of the code is too vague.
 */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode
  readonly hint: string | undefined
  /** True if a retry may succeed. */
  readonly passing: boolean

  constructor(
    code: MediaFailureCode,
    message: string,
    more: { hint?: string; passing?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'MediaFailure'
    this.code = code
    this.hint = more.hint
    this.passing = more.passing ?? false
  }
}

/** Aborts a transfer that takes too long as a whole, or in which no data has moved for a while. */
interface Watchdog {
  /** Aborted with a MediaTimeout when time is up, or with the reason of the outer signal. */
  signal: AbortSignal
  /** Restarts the idle timer, because data has moved. */
  touch(): void
  stop(): void
}

class MediaTimeout extends Error {
  override readonly name = 'MediaTimeout'
}

export const MOST_IDLE = 30 * SECOND
// 100 MB over a shop's 2 Mbit/s line take 7 minutes.
export const MOST_TOTAL = 10 * MINUTE

export function startWatchdog(clock: Clock, outer: AbortSignal, mostIdle = MOST_IDLE): Watchdog {
  const own = new AbortController()
  const watchIdle = (): (() => void) =>
    clock.after(mostIdle, () => own.abort(new MediaTimeout(`nothing came for ${mostIdle / SECOND} seconds`)))
  const cancelTotal = clock.after(MOST_TOTAL, () =>
    own.abort(new MediaTimeout(`not complete after ${MOST_TOTAL / MINUTE} minutes`)),
  )
  let cancelIdle = watchIdle()
  return {
    signal: AbortSignal.any([own.signal, outer]),
    touch() {
      cancelIdle()
      cancelIdle = watchIdle()
    },
    stop() {
      cancelIdle()
      cancelTotal()
    },
  }
}
