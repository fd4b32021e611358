import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { asStorageError, StorageError } from '../../lib/storage-error.ts'
import { renameFile, syncFolder, syncWhereItCan, whenFree } from '../../lib/sync-folder.ts'
import { checkCopies, forgetReplaced, prepareStaged, stagedFolder } from '../../store/index.ts'
import {
  archiveSize,
  type Bytes,
  type Contents,
  DATABASES,
  damaged,
  fromDevelopment,
  MOST_FILES,
  newer,
  packArchive,
  seal,
  sealedSize,
  unpackArchive,
  unseal,
} from './archive.ts'
import type { ActivePlan, BackupContext, LastBackup } from './context.ts'
import { nameOf, openFolder, partOf } from './folder.ts'

interface Backup {
  bytes: number
  content: AsyncIterable<Buffer>
  /** Removes the temporary copies that `content` is read from. */
  close(): Promise<void>
}

/** Creates one encrypted file with everything that Kurir stores, while Kurir keeps running. */
export async function createBackup(context: BackupContext, passphrase: string): Promise<Backup> {
  const { store, dataKey, version, clock, logger } = context
  const folder = await mkdtemp(join(tmpdir(), 'kurir-backup-'))
  const close = () => removeCopies(folder, logger)
  try {
    // Link the files before the copy, because a file is deleted once its message has left, and
    // again after it, because new messages may have brought files meanwhile.
    const before = await keepFiles(context, folder)
    await store.copyTo(folder)
    const after = await keepFiles(context, folder)
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
    throw asStorageError(error, folder)
  }
}

/** Links message files into `folder` and resolves with the names that are in it. */
async function keepFiles({ home, store, refusals }: BackupContext, folder: string): Promise<string[]> {
  // With several nodes, message files are in shared storage and not only in the data folder.
  if (refusals !== null) return []
  await mkdir(join(folder, 'files'), { recursive: true })
  const kept: string[] = []
  for (const { id } of (await store.uploads.list()).slice(0, MOST_FILES))
    if (await keep(join(home, 'files', id), join(folder, 'files', id))) kept.push(`files/${id}`)
  return kept
}

/**
 * Hard-links a file, which is safe because its content never changes. Resolves with false if the
 * file does not exist.
 */
async function keep(file: string, to: string): Promise<boolean> {
  const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
  try {
    await link(file, to).catch((error: unknown) => {
      // Some file systems do not support hard links.
      if (codeOf(error) !== 'EEXIST') return copyFile(file, to)
    })
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Records that a complete backup was made. */
export const noteBackup = ({ store, clock }: BackupContext): Promise<void> =>
  store.meta.save('backup_at', String(clock.now()))

/**
 * Writes a backup into the folder of a plan under a temporary name, and renames it after checking
 * that it can be opened.
 */
export async function writeBackup(
  context: BackupContext,
  { folder, id, key }: ActivePlan,
  signal: AbortSignal,
): Promise<LastBackup> {
  await openFolder(folder, id)
  signal.throwIfAborted()
  const at = context.clock.now()
  const update = context.updateReady()
  const name = nameOf(at)
  const part = join(folder, partOf(name))
  try {
    const backup = await createBackup(context, key)
    try {
      const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(Readable.from(backup.content), file, { signal })
    } finally {
      await backup.close()
    }
    await verify(part, key, signal, context.logger)
    const { size } = await stat(part)
    signal.throwIfAborted()
    await renameFile(part, join(folder, name))
    await syncWhereItCan(folder)
    return { at, file: name, bytes: size, update }
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Opens a backup as a restore would, and checks its databases. @throws if a restore would fail */
async function verify(file: string, key: string, signal: AbortSignal, logger: Logger): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kurir-check-'))
  try {
    await unpackArchive(unseal(createReadStream(file, { signal }), key), folder, 'databases')
    await checkCopies(folder, signal)
  } finally {
    await removeCopies(folder, logger)
  }
}

/**
 * Removes temporary copies. Failing to is no error: the backup is complete, and the next start
 * removes the copies that another program held open.
 */
const removeCopies = (folder: string, logger: Logger): Promise<void> =>
  whenFree(() => rm(folder, { recursive: true, force: true })).catch((err: unknown) => {
    logger.warn({ err }, 'the copies that a backup is made from could not be removed yet')
  })

export type StageRestore = ReturnType<typeof createRestore>

/**
 * Checks a whole backup and stages it for the next start. Current data stays untouched until then.
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
    await renameFile(incoming, stagedFolder(home))
    for (const folder of [dirname(incoming), home]) await syncFolder(folder)
    return about
  }

  /** @throws ApiError or StorageError; nothing has changed in either case */
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
  return asStorageError(error, folder)
}
