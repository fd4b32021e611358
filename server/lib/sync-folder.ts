import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** A name is safe from a power cut once its folder is; Windows does this by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** The same where nothing may happen meanwhile. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Network drives and sticks may not know how to sync a folder. */
export async function syncWhereItCan(folder: string): Promise<void> {
  try {
    await syncFolder(folder)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
