import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { uploadedFileId } from '../contract/send.ts'
import { type Clock, MINUTE } from '../lib/clock.ts'
import { type AddressPolicy, createGuardedDispatcher, type Network, withFraming } from '../lib/net-guard.ts'
import { renameFile } from '../lib/sync-folder.ts'
import { createMediaFetcher, type FetchMedia, type MediaFile } from './fetch.ts'
import { LARGEST_FILE } from './kind.ts'
import type { Uploads } from './uploads.ts'

/** The files of messages that are about to be sent: fetched ahead, taken, deleted. */
export interface MediaFiles {
  /** Downloads the message's file as soon as there is room. `take` reports its failure. */
  prefetch(messageId: string, url: string): void
  /** The message's file, once it is there. Rejects as FetchMedia does. */
  take(messageId: string, url: string): Promise<MediaFile>
  /** Deletes the message's file, and stops its download. */
  release(messageId: string): Promise<void>
  /** Once at start: deletes all but the complete files of messages that `keep` names. */
  sweep(keep: (messageId: string) => Promise<boolean>): Promise<void>
  /** Stops all downloads. Complete files stay for the next start. */
  close(): Promise<void>
}

interface Job {
  url: string
  stop: AbortController
  /** Set once the download has begun. */
  file?: Promise<MediaFile>
  failedAt?: number
}

const MOST_PREFETCHES = 3
// For so long a failure is reported again; after that the file server may have recovered, so it is
// asked again.
const FAILURE_COUNTS_FOR = MINUTE

/** @param folder used by nothing else; created when it is missing */
export function createMediaFiles(folder: string, fetchMedia: FetchMedia, clock: Clock): MediaFiles {
  const jobs = new Map<string, Job>()
  let prefetching = 0

  const jobFor = (messageId: string, url: string): Job => {
    const known = jobs.get(messageId)
    if (known && (known.failedAt === undefined || clock.now() - known.failedAt < FAILURE_COUNTS_FOR)) return known
    const job: Job = { url, stop: new AbortController() }
    jobs.set(messageId, job)
    return job
  }

  // A file that an earlier run has fetched is used again: what is sent twice must be the same both
  // times.
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
    // How it ended is reported by `take`; here only the end matters.
    await job.file?.catch(() => undefined)
  }

  // One that the disk does not give up now, as while a virus scanner reads it, goes at the next
  // start: nobody's message depends on it.
  const remove = (name: string): Promise<void> => rm(join(folder, name), { force: true }).catch(() => undefined)

  return {
    prefetch(messageId, url) {
      jobFor(messageId, url)
      startWaiting()
    },
    // Does not queue behind prefetches: a slow file server of one lane must not hold up another
    // lane.
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
      const isComplete = (messageId: string) => names.has(messageId) && names.has(`${messageId}.json`)
      const sweepOne = async (name: string): Promise<void> => {
        const messageId = name.replace(/\.json$/, '')
        if (!isComplete(messageId) || !(await keep(messageId))) await remove(name)
      }
      await Promise.all([...names].map(sweepOne))
    },
    async close() {
      await Promise.all([...jobs.values()].map(stop))
      jobs.clear()
    },
  }
}

const sidecar = z.object({
  url: z.string(),
  kind: z.enum(['image', 'video', 'audio', 'document']),
  mimetype: z.string(),
  fileName: z.string(),
  size: z.number(),
  sha256: z.string(),
})

/**
 * Writes down what a complete file is. This is written after the data is on disk and appears in one
 * step, so a file with a sidecar is a whole one, whenever the power went.
 */
async function writeSidecar({ path, ...about }: MediaFile, url: string): Promise<void> {
  const draft = `${path}.draft`
  const file = await open(draft, 'w')
  try {
    await file.writeFile(JSON.stringify({ url, ...about }))
    await file.sync()
  } finally {
    await file.close()
  }
  await renameFile(draft, `${path}.json`)
}

/** The complete file at `path`, if it is there and came from `url`; otherwise null. */
async function readSidecar(path: string, url: string): Promise<MediaFile | null> {
  try {
    const { url: source, ...about } = sidecar.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')))
    const { size } = await stat(path)
    return source === url && size === about.size ? { path, ...about } : null
  } catch (error) {
    // Missing or damaged: it will be downloaded again, and then replaced.
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing || error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

/**
 * The files of messages: by address, into a folder of their own, or sent along.
 * @param policy asked for every connection
 */
export function createMediaService(
  folder: string,
  network: Network,
  policy: AddressPolicy,
  uploads: Uploads,
  clock: Clock,
) {
  const dispatcher = createGuardedDispatcher({ ...network, policy, mostBytes: withFraming(LARGEST_FILE) })
  const files = createMediaFiles(folder, createMediaFetcher(dispatcher, clock), clock)
  return {
    ...files,
    prefetch(messageId: string, file: string): void {
      if (uploadedFileId(file) === undefined) files.prefetch(messageId, file)
    },
    take(messageId: string, file: string) {
      const id = uploadedFileId(file)
      return id === undefined ? files.take(messageId, file) : uploads.take(id)
    },
    async close(): Promise<void> {
      await files.close()
      await dispatcher.destroy()
    },
  }
}
