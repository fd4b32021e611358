import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from './store/errors.ts'

const VAULT_KEY = 'vault.key'
const OWNER_TOKEN = 'owner.token'

/** Makes the data folder, readable by its owner only. @throws StorageError */
export function prepareHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new StorageError('unreachable', home, cause)
  }
}

function writePrivate(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 })
    // The mode above counts only for a new file.
    chmodSync(file, 0o600)
  } catch (cause) {
    throw new StorageError('read_only', file, cause)
  }
}

/**
 * The key that seals secrets where no shell hands one over: a file that only its owner can read. A damaged one is never
 * replaced, because everything that it sealed would be lost.
 */
export function loadVaultKey(home: string): Buffer {
  const file = join(home, VAULT_KEY)
  if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('hex'))
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new Error(`${file} is damaged: it should hold 64 hexadecimal digits. Restore it from a backup.`)
  }
  return Buffer.from(text, 'hex')
}

/** The owner's token: given, or the one of the last start. It is kept for the command line, readable by its owner only. */
export function ownerToken(home: string, given: string | undefined): string {
  const file = join(home, OWNER_TOKEN)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const token = given ?? (kept.length >= 32 ? kept : randomBytes(32).toString('base64url'))
  if (token !== kept) writePrivate(file, token)
  return token
}
