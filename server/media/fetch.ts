import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import type { Clock } from '../lib/clock.ts'
import { sleep } from '../lib/sleep.ts'
import { SECOND } from '../lib/time.ts'
import { MediaFailure } from './failure.ts'
import { fileNameFor, namesOf } from './file-name.ts'
import { CAPS, decideType, kindOf, type MediaKind } from './kind.ts'
import { type Answer, openUrl } from './request.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

export interface MediaFile {
  path: string
  kind: MediaKind
  mimetype: string
  /** What the recipient sees; never a path. */
  fileName: string
  size: number
  sha256: string
}

/**
 * Downloads `url` to the file `path`, which is complete and on disk when this resolves, and does not exist when it
 * rejects: with MediaFailure, with the signal's reason, or with the error of a disk that cannot take it.
 */
export type FetchMedia = (url: string, path: string, signal: AbortSignal) => Promise<MediaFile>

export interface MediaFetcherDeps {
  /** A guarded one: it decides which addresses may be called. */
  dispatcher: Dispatcher
  clock: Clock
}

const RETRY_DELAYS = [SECOND, 4 * SECOND, 16 * SECOND]
// Enough to see past the tag at the start of an MP3 and into the first entries of an office file.
const HEAD_BYTES = 64 * 1024
const LARGEST_CAP = Math.max(...Object.values(CAPS))

export function createMediaFetcher({ dispatcher, clock }: MediaFetcherDeps): FetchMedia {
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
  const names = namesOf(answer.disposition, answer.urls)
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let mimetype: string | undefined
  let size = 0

  const check = (): void => {
    const cap = mimetype === undefined ? LARGEST_CAP : CAPS[kindOf(mimetype)]
    if (size <= cap && (answer.length ?? 0) <= cap) return
    const what = mimetype === undefined ? 'file' : kindOf(mimetype)
    throw new MediaFailure('media_too_large', `The ${what} on ${answer.host} is larger than ${cap / 1024 / 1024} MB.`)
  }

  const file = await open(path, 'w')
  try {
    check()
    for await (const chunk of answer.body) {
      watchdog.touch()
      size += chunk.length
      if (mimetype === undefined) head.push(chunk)
      if (mimetype === undefined && size >= HEAD_BYTES) {
        mimetype = await decideType(Buffer.concat(head), answer.contentType, names)
      }
      check()
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    if (size === 0) throw new MediaFailure('media_invalid', `${answer.host} answered with an empty file.`)
    mimetype ??= await decideType(Buffer.concat(head), answer.contentType, names)
    await file.sync()
  } finally {
    answer.discard()
    await file.close()
  }
  const kind = kindOf(mimetype)
  return { path, kind, mimetype, fileName: fileNameFor(names[0], mimetype, kind), size, sha256: hash.digest('hex') }
}
