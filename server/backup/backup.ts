import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Store } from '../store/index.ts'
import { archiveSize, type Contents, packArchive } from './archive.ts'
import { seal, sealedSize } from './sealed-stream.ts'

export interface BackupDeps {
  store: Store
  /** For the copies, while they are read. */
  temporaryFolder: string
  dataKey: Buffer
  version: string
  clock: Clock
}

export interface Backup {
  /** Bytes of the whole file. */
  bytes: number
  content: AsyncIterable<Buffer>
  /** Removes the copies it is made from. */
  close(): Promise<void>
}

export type CreateBackup = (passphrase: string) => Promise<Backup>

/** Everything that Kurir keeps, in one encrypted file, made while it runs. */
export function createBackup({ store, temporaryFolder, dataKey, version, clock }: BackupDeps): CreateBackup {
  return async (passphrase) => {
    const folder = await mkdtemp(join(temporaryFolder, 'backup-'))
    const close = () => rm(folder, { recursive: true, force: true })
    try {
      const names = ['kurir.db', 'sessions.db'] as const
      await store.copyTo(folder)
      const about: Contents = {
        kurir_version: version,
        created_at: isoTime(clock.now()),
        data_key: dataKey.toString('hex'),
        files: await Promise.all(names.map(async (name) => ({ name, size: (await stat(join(folder, name))).size }))),
      }
      return { bytes: sealedSize(archiveSize(about)), content: seal(packArchive(about, folder), passphrase), close }
    } catch (error) {
      await close()
      throw error
    }
  }
}
