import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

/** Makes new and renamed files in a folder survive a power cut. Windows does this by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** Synchronous form of `syncFolder`, for places where nothing else may run meanwhile. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Syncs a folder if its drive can do so; network drives and USB sticks may not. */
export async function syncWhereItCan(folder: string): Promise<void> {
  try {
    await syncFolder(folder)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Milliseconds. A virus scanner has finished with a new file before their sum is over. */
const PAUSES = [10, 20, 50, 100, 200, 400, 800]

/**
 * Returns the pause in milliseconds before a file is renamed or removed again, because on Windows
 * both fail while another program has the file open. Undefined: give up, because there were enough
 * retries or the error is another one.
 */
function pauseAfter(error: unknown, tried: number, platform: NodeJS.Platform): number | undefined {
  const isHeld = ['EACCES', 'EBUSY', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
  return isHeld && platform === 'win32' ? PAUSES[tried] : undefined
}

/** Runs `work`, which renames or removes a file, again while a virus scanner holds the file. */
export async function whenFree(work: () => Promise<void>, platform: NodeJS.Platform = process.platform): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await work()
    } catch (error) {
      const pause = pauseAfter(error, tried, platform)
      if (pause === undefined) throw error
      await setTimeout(pause)
    }
  }
}

/** Synchronous form of `whenFree`, for places where nothing else may run meanwhile. */
export function whenFreeNow(work: () => void, platform: NodeJS.Platform = process.platform): void {
  for (let tried = 0; ; tried += 1) {
    try {
      work()
      return
    } catch (error) {
      const pause = pauseAfter(error, tried, platform)
      if (pause === undefined) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}

export const renameFile = (from: string, to: string): Promise<void> => whenFree(() => rename(from, to))

export const renameFileNow = (from: string, to: string): void => whenFreeNow(() => renameSync(from, to))
