import { rm } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import type { Clock } from '../lib/clock.ts'
import { sleep } from '../lib/sleep.ts'
import { SECOND } from '../lib/time.ts'
import { MediaFailure } from './failure.ts'
import { namesOf } from './file-name.ts'
import { type Answer, openUrl } from './request.ts'
import { FileRefused, type MediaFile, saveFile } from './save.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

export type { MediaFile } from './save.ts'

/**
 * Downloads `url` to the file `path`, which is complete and on disk when this resolves, and does
 * not exist when it rejects: with MediaFailure, with the signal's reason, or with the error of a
 * disk that cannot take it.
 */
export type FetchMedia = (url: string, path: string, signal: AbortSignal) => Promise<MediaFile>

const RETRY_DELAYS = [SECOND, 4 * SECOND, 16 * SECOND]

/** @param dispatcher a guarded one: it decides which addresses may be called */
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
