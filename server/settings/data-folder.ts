import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, win32 } from 'node:path'
import { z } from 'zod'
import type { Place } from '../lib/proved-call.ts'
import { isFull, StorageError } from '../lib/storage-error.ts'
import { renameFileNow, syncFolderNow } from '../lib/sync-folder.ts'

const VAULT_KEY = 'vault.key'
const OWNER_TOKEN = 'owner.token'
const ADDRESS = 'address.json'
const addressFile = z.object({ url: z.string(), instance: z.string() })

/** Folder for temporary files, emptied at every start. */
export const temporaryFolder = (home: string): string => join(home, 'tmp')

/**
 * Returns the free bytes on the disk of a folder; null if the system does not tell (some network
 * drives).
 */
export function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}

/**
 * Creates the data folder, accessible to its user only, and closes an existing one to other users.
 * Returns a sentence for the log if that is not possible.
 * @throws StorageError
 */
export function createDataFolder(home: string): string | undefined {
  try {
    if (mkdirSync(home, { recursive: true, mode: 0o700 }) !== undefined) syncFolderNow(dirname(home))
    return process.platform === 'win32' ? openOnWindows(home) : closeToOthers(home)
  } catch (cause) {
    throw new StorageError('unreachable', home, cause)
  }
}

function closeToOthers(home: string): string | undefined {
  const { mode, uid } = statSync(home)
  if ((mode & 0o077) === 0) return undefined
  try {
    if (uid === process.getuid?.()) chmodSync(home, 0o700)
  } catch {
    // Some file systems have no file modes.
  }
  return (statSync(home).mode & 0o077) === 0
    ? undefined
    : `Other users of this computer can read ${home}. Close it to them: chmod 700 "${home}"`
}

/**
 * Returns a warning for a folder outside of the user's own folder. File modes mean nothing on
 * Windows, which protects the user's folder; other folders are usually open to all users.
 */
export function openOnWindows(home: string, own = homedir()): string | undefined {
  const inside = win32.relative(own, home)
  if (!inside.startsWith('..') && !win32.isAbsolute(inside)) return undefined
  return `${home} is outside of your user folder: other users of this computer may read it. Limit its permissions to your account.`
}

/**
 * Writes a file atomically: a reader finds the whole new text or the old one, even after a power
 * cut.
 */
function writePrivate(file: string, text: string): void {
  const next = `${file}.new`
  try {
    // `mode` applies to new files only.
    rmSync(next, { force: true })
    writeFileSync(next, text, { flag: 'wx', mode: 0o600, flush: true })
    renameFileNow(next, file)
    syncFolderNow(dirname(file))
  } catch (cause) {
    throw new StorageError(isFull(cause) ? 'full' : 'read_only', file, cause)
  }
}

/**
 * Removes temporary files of an earlier run. Call it only while this process holds the folder's
 * lock.
 * @returns why some files are left; the next start tries again
 */
export function emptyTemporaryFolder(home: string): unknown {
  let problem: unknown
  try {
    rmSync(temporaryFolder(home), { recursive: true, force: true })
  } catch (error) {
    // On Windows, a virus scanner may hold a file open.
    problem = error
  }
  mkdirSync(temporaryFolder(home), { recursive: true, mode: 0o700 })
  return problem
}

/** The secrets of this folder cannot be opened. Nothing was changed. */
export class VaultKeyError extends Error {}

/**
 * Returns the vault's key from a file that only its owner can read, for use without the desktop's
 * shell. Never replaces a missing or damaged file after its key has sealed something, because all
 * sealed values would be lost.
 * @param mayCreate creates a missing file
 * @throws VaultKeyError
 */
export function loadVaultKey(home: string, mayCreate: boolean): Buffer {
  const file = join(home, VAULT_KEY)
  if (!existsSync(file)) {
    if (!mayCreate) throw new VaultKeyError(`${file} is missing, so Kurir's saved logins cannot be opened. ${WAYS_OUT}`)
    writePrivate(file, randomBytes(32).toString('hex'))
  }
  return readVaultKey(file)
}

/**
 * Returns the key in a file that somebody else made.
 * @throws VaultKeyError
 */
export function readVaultKey(file: string, waysOut = WAYS_OUT): Buffer {
  if (!existsSync(file))
    throw new VaultKeyError(`${file} is missing, so Kurir's saved logins cannot be opened. ${waysOut}`)
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new VaultKeyError(`${file} is damaged: it should hold 64 hexadecimal digits. ${waysOut}`)
  }
  return Buffer.from(text, 'hex')
}

export const WAYS_OUT =
  'Nothing was changed: put the key of this folder back, or start with an empty folder (KURIR_HOME) and restore a backup.'

/** Like `WAYS_OUT`, for nodes that share a database. */
export const WAYS_OUT_OF_NODE =
  'Nothing was changed: KURIR_VAULT_KEY_FILE has to be the same file on every node, the one that the first of them was started with, or the vault.key of the folder that was copied here.'

/** Writes the address of this run to a file. Returns a function that removes the file. */
export function writeAddress(home: string, address: z.infer<typeof addressFile>): () => void {
  const file = join(home, ADDRESS)
  writePrivate(file, `${JSON.stringify(address)}\n`)
  return () => rmSync(file, { force: true })
}

/**
 * Returns how a program on this PC reaches the Kurir of a folder as its owner; undefined if none
 * runs.
 */
export function findRunning(home: string): Place | undefined {
  try {
    const { url, instance } = addressFile.parse(JSON.parse(readFileSync(join(home, ADDRESS), 'utf8')))
    return { url, instance: { id: instance, token: readFileSync(join(home, OWNER_TOKEN), 'utf8').trim() } }
  } catch (error) {
    // None runs if the file is missing (Kurir may be just stopping), or if it is torn, as earlier
    // versions left it after a power cut.
    const isNone = (error as NodeJS.ErrnoException).code === 'ENOENT' || !(error instanceof Error && 'code' in error)
    if (isNone) return undefined
    throw error
  }
}

/**
 * Returns the owner's token: the given one, or the one of the last start, or a new one. Keeps it in
 * a file for the command line, readable by its owner only.
 */
export function ownerToken(home: string, given: string | undefined): string {
  const file = join(home, OWNER_TOKEN)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const token = given ?? (kept.length >= 32 ? kept : randomBytes(32).toString('base64url'))
  if (token !== kept) writePrivate(file, token)
  return token
}
