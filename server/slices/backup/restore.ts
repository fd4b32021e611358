import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import type { Bytes } from '../../lib/byte-reader.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { syncFolder } from '../../lib/sync-folder.ts'
import { forgetReplaced, prepareStaged, stagedFolder } from '../../store/index.ts'
import { type Contents, unpackArchive } from './archive.ts'
import type { BackupContext } from './context.ts'
import { damaged, fromDevelopment, newer } from './errors.ts'
import { unseal } from './sealed-stream.ts'

export type StageRestore = ReturnType<typeof createRestore>

/**
 * Checks a backup from its first byte to its last and lays it ready for the next start. Until then
 * nothing of what is there is touched.
 */
export function createRestore({ home, dataKey }: BackupContext) {
  const incoming = join(home, 'restore', 'incoming')
  let busy = false

  async function stage(source: Bytes, passphrase: string): Promise<Contents> {
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    const about = await unpackArchive(unseal(source, passphrase), incoming)
    await prepareStaged(incoming, dataKey.sealForThisPc(Buffer.from(about.data_key, 'hex')))
    await forgetReplaced(home)
    await rm(stagedFolder(home), { recursive: true, force: true })
    await syncFolder(incoming)
    await rename(incoming, stagedFolder(home))
    for (const folder of [dirname(incoming), home]) await syncFolder(folder)
    return about
  }

  /** @throws ApiError, StorageError; nothing is changed then */
  return async (source: Bytes, passphrase: string): Promise<Contents> => {
    if (busy) throw new ApiError('conflict', 'Another backup is being restored. Wait until it is done.')
    busy = true
    try {
      return await stage(source, passphrase)
    } catch (error) {
      await rm(incoming, { recursive: true, force: true })
      throw asOurError(error, incoming)
    } finally {
      busy = false
    }
  }
}

function asOurError(error: unknown, folder: string): unknown {
  if (error instanceof StorageError && error.problem === 'newer') return newer()
  if (error instanceof StorageError && error.problem === 'development') return fromDevelopment()
  if (error instanceof StorageError && error.problem === 'damaged') return damaged()
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return new StorageError('full', folder, error)
  return error
}
