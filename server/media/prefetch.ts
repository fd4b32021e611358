import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { FetchMedia, MediaFile } from './fetch.ts'
import { readSidecar, writeSidecar } from './sidecar.ts'

/** Holds the files of messages that are about to be sent: fetched ahead, handed over, deleted. */
export interface MediaDesk {
  /** Downloads the message's file as soon as there is room. Its failure is told by `take`. */
  prefetch(messageId: string, url: string): void
  /** The message's file, once it is there. Rejects as FetchMedia does. */
  take(messageId: string, url: string): Promise<MediaFile>
  /** Deletes the message's file, and stops its download. */
  release(messageId: string): Promise<void>
  /** Run once at start: deletes what a crash left behind, except the complete files of messages that `keep` names. */
  sweep(keep: (messageId: string) => boolean): Promise<void>
  /** Stops all downloads. Complete files stay for the next start. */
  close(): Promise<void>
}

export interface MediaDeskDeps {
  /** Belongs to the desk alone; made when it is missing. */
  folder: string
  fetchMedia: FetchMedia
  clock: Clock
}

interface Job {
  url: string
  stop: AbortController
  /** Set once the download has begun. */
  file?: Promise<MediaFile>
  failedAt?: number
}

const MOST_PREFETCHES = 3
// For this long a failure is told again; after it the file server may be well, so it is asked anew.
const FAILURE_COUNTS_MS = 60_000

export function createMediaDesk({ folder, fetchMedia, clock }: MediaDeskDeps): MediaDesk {
  const jobs = new Map<string, Job>()
  let prefetching = 0

  const jobFor = (messageId: string, url: string): Job => {
    const known = jobs.get(messageId)
    if (known && (known.failedAt === undefined || clock.now() - known.failedAt < FAILURE_COUNTS_MS)) return known
    const job: Job = { url, stop: new AbortController() }
    jobs.set(messageId, job)
    return job
  }

  // A file that an earlier run has fetched is used again: what is sent twice must be the same both times.
  const fetchOnce = async (path: string, { url, stop }: Job): Promise<MediaFile> => {
    const known = await readSidecar(path, url)
    if (known !== null) return known
    await mkdir(folder, { recursive: true })
    const file = await fetchMedia(url, path, stop.signal)
    await writeSidecar(file, url)
    return file
  }

  const start = (messageId: string, job: Job): Promise<MediaFile> => {
    job.file ??= fetchOnce(join(folder, messageId), job).catch((error: unknown) => {
      job.failedAt = clock.now()
      throw error
    })
    return job.file
  }

  const startWaiting = (): void => {
    for (const [messageId, job] of jobs) {
      if (prefetching >= MOST_PREFETCHES) return
      if (job.file !== undefined || job.stop.signal.aborted) continue
      prefetching += 1
      const done = (): void => {
        prefetching -= 1
        startWaiting()
      }
      start(messageId, job).then(done, done)
    }
  }

  const stop = async (job: Job): Promise<void> => {
    job.stop.abort()
    // Whoever took the file hears how it ended; here only the end matters.
    await job.file?.catch(() => undefined)
  }

  const remove = async (name: string): Promise<void> => rm(join(folder, name), { force: true })

  return {
    prefetch(messageId, url) {
      jobFor(messageId, url)
      startWaiting()
    },
    // Does not queue behind prefetches: a slow file server of one lane must not hold up another lane.
    take: async (messageId, url) => start(messageId, jobFor(messageId, url)),
    async release(messageId) {
      const job = jobs.get(messageId)
      if (job !== undefined) await stop(job)
      jobs.delete(messageId)
      await Promise.all([messageId, `${messageId}.json`].map(remove))
    },
    async sweep(keep) {
      await mkdir(folder, { recursive: true })
      const names = new Set(await readdir(folder))
      const isKept = (name: string): boolean => {
        const messageId = name.replace(/\.json$/, '')
        return keep(messageId) && names.has(messageId) && names.has(`${messageId}.json`)
      }
      await Promise.all([...names].filter((name) => !isKept(name)).map(remove))
    },
    async close() {
      await Promise.all([...jobs.values()].map(stop))
      jobs.clear()
    },
  }
}
