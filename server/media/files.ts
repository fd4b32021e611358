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

/** Files of messages that are about to be sent. */
export interface MediaFiles {
  /** Begins to download a file when few other prefetches run. `take` reports a failure. */
  prefetch(messageId: string, url: string): void
  /** Resolves with the message's file when it is complete. Rejects as FetchMedia does. */
  take(messageId: string, url: string): Promise<MediaFile>
  /** Deletes the message's file, and stops its download. */
  release(messageId: string): Promise<void>
  /** Deletes all but the complete files of messages for which `keep` is true. Once, at start. */
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
// A failure is reported again for this long. Afterwards the file server is asked again, because it
// may have recovered.
const FAILURE_COUNTS_FOR = MINUTE

/** @param folder must be used by nothing else; created if it is missing */
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

  // Reuse a file that an earlier run has fetched, because all attempts of a message must send the
  // same bytes.
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
    // `take` reports the error; here only the end of the download matters.
    await job.file?.catch(() => undefined)
  }

  // If a file cannot be deleted, for example while a virus scanner reads it, the sweep of the next
  // start deletes it. No message depends on it.
  const remove = (name: string): Promise<void> => rm(join(folder, name), { force: true }).catch(() => undefined)

  return {
    prefetch(messageId, url) {
      jobFor(messageId, url)
      startWaiting()
    },
    // Does not wait behind prefetches, because the slow file server of one lane must not hold up
    // another lane.
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
 * Writes the sidecar of a complete file. It is written after the data is on disk and appears in one
 * step, so a file with a sidecar is complete, even after a power cut.
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

/** Resolves with the file at `path`; null: it is not complete, or did not come from `url`. */
async function readSidecar(path: string, url: string): Promise<MediaFile | null> {
  try {
    const { url: source, ...about } = sidecar.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')))
    const { size } = await stat(path)
    return source === url && size === about.size ? { path, ...about } : null
  } catch (error) {
    // If the sidecar is missing or damaged, the file is downloaded again and replaced.
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing || error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

/**
 * Creates the access to files of messages, both downloaded and uploaded ones.
 * @param folder holds the downloaded files
 * @param policy decides on every connection
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
