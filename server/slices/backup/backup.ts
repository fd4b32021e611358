import { copyFile, link, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isoTime } from '../../lib/clock.ts'
import { temporaryFolder } from '../../settings/data-folder.ts'
import { archiveSize, type Contents, DATABASES, MOST_FILES, packArchive } from './archive.ts'
import type { BackupContext } from './context.ts'
import { seal, sealedSize } from './sealed-stream.ts'

export interface Backup {
  /** Bytes of the whole file. */
  bytes: number
  content: AsyncIterable<Buffer>
  /** Removes the copies it is made from. */
  close(): Promise<void>
}

export type CreateBackup = ReturnType<typeof createBackup>

/** Everything that Kurir keeps, in one encrypted file, made while it runs. */
export function createBackup({ home, store, dataKey, refusals, version, clock }: BackupContext) {
  /** Folder of the files that messages wait with; null: it is not the only place for them. */
  const filesFolder = refusals === null ? join(home, 'files') : null

  /** Resolves with the files of messages that are in `folder` now. */
  async function keepFiles(folder: string): Promise<string[]> {
    if (filesFolder === null) return []
    await mkdir(join(folder, 'files'), { recursive: true })
    const kept: string[] = []
    for (const { id } of (await store.uploads.list()).slice(0, MOST_FILES))
      if (await keep(join(filesFolder, id), join(folder, 'files', id))) kept.push(`files/${id}`)
    return kept
  }

  return async (passphrase: string): Promise<Backup> => {
    const folder = await mkdtemp(join(temporaryFolder(home), 'backup-'))
    const close = () => rm(folder, { recursive: true, force: true })
    try {
      // Before, because a file goes when its message has left; and after, because others came.
      const before = await keepFiles(folder)
      await store.copyTo(folder)
      const after = await keepFiles(folder)
      const names = [...DATABASES, ...new Set([...before, ...after])].slice(0, DATABASES.length + MOST_FILES)
      const about: Contents = {
        kurir_version: version,
        created_at: isoTime(clock.now()),
        data_key: dataKey.bytes.toString('hex'),
        files: [],
      }
      for (const name of names) about.files.push({ name, size: (await stat(join(folder, name))).size })
      return { bytes: sealedSize(archiveSize(about)), content: seal(packArchive(about, folder), passphrase), close }
    } catch (error) {
      await close()
      throw error
    }
  }
}

/** A second name for a file that never changes. Resolves with whether the file is there. */
async function keep(file: string, to: string): Promise<boolean> {
  try {
    await link(file, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return true
    if (code === 'ENOENT') return false
    // Some file systems have no second names.
    await copyFile(file, to)
  }
  return true
}
