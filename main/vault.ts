import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SafeStorage } from 'electron'
import { renameFileNow, syncFolderNow } from '../server/lib/sync-folder.ts'

const KEY_BYTES = 32

export interface VaultDeps {
  safeStorage: Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
  >
  platform: NodeJS.Platform
  folder: string
  randomBytes(size: number): Buffer
}

/**
 * Thrown if the vault's key exists but cannot be read; nothing was changed. `locked`: the system's
 * store is not available now; `foreign`: another user or computer encrypted the key; `damaged`: the
 * file holds no key. words.ts has the advice.
 */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  readonly reason: 'locked' | 'foreign' | 'damaged'
  readonly file: string

  constructor(reason: VaultError['reason'], file: string, options?: ErrorOptions) {
    super(`The vault's key in ${file} is ${reason}`, options)
    this.reason = reason
    this.file = file
  }
}

/**
 * Resolves with the key that encrypts the secrets in the database: 32 bytes as hex. The key itself
 * is encrypted by the system's store (Keychain, DPAPI, the Linux keyring); `sealed` is false if the
 * system has none and the key is in a file that only this user may read. An existing key is never
 * replaced, because all secrets under it would be lost.
 * @throws VaultError if a key exists and cannot be read
 */
export async function openVault(deps: VaultDeps): Promise<{ keyHex: string; sealed: boolean }> {
  const sealedFile = join(deps.folder, 'vault.key')
  const plainFile = join(deps.folder, 'vault-unsealed.key')
  if (existsSync(sealedFile)) return { keyHex: await unseal(deps, sealedFile), sealed: true }
  if (existsSync(plainFile)) return { keyHex: checked(readFileSync(plainFile, 'utf8'), plainFile), sealed: false }

  const keyHex = deps.randomBytes(KEY_BYTES).toString('hex')
  const sealed = await canSeal(deps)
  mkdirSync(deps.folder, { recursive: true })
  if (sealed) writeNew(sealedFile, await deps.safeStorage.encryptStringAsync(keyHex))
  else writeNew(plainFile, keyHex)
  return { keyHex, sealed }
}

async function unseal({ safeStorage }: VaultDeps, file: string): Promise<string> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) throw new VaultError('locked', file)
  const decrypted = await safeStorage.decryptStringAsync(readFileSync(file)).catch((cause) => {
    throw new VaultError('foreign', file, { cause })
  })
  return checked(decrypted.result, file)
}

async function canSeal({ safeStorage, platform }: VaultDeps): Promise<boolean> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
  // On Linux without a keyring, Chromium encrypts with a password that is in its public source.
  return platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}

function checked(text: string, file: string): string {
  const key = text.trim()
  if (!/^[0-9a-f]{64}$/.test(key)) throw new VaultError('damaged', file)
  return key
}

/** Writes a key file in one step, so that a power cut leaves either no key or a complete one. */
function writeNew(file: string, content: Buffer | string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600, flush: true })
  renameFileNow(`${file}.new`, file)
  syncFolderNow(dirname(file))
}
