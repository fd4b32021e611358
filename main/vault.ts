import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SafeStorage } from 'electron'

const KEY_BYTES = 32

export interface VaultDeps {
  safeStorage: Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
  >
  platform: NodeJS.Platform
  /** Electron's userData folder. */
  folder: string
  randomBytes(size: number): Buffer
}

/** The vault's key exists but cannot be had. Nothing was changed; the message says what to do. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
}

/**
 * The key that seals the secrets in the database: 32 bytes as hex, sealed by the system's own store (Keychain, DPAPI,
 * the Linux keyring). Where the system has none, it lies in a file that only this user may read.
 * An existing key is never replaced: everything it sealed would be lost.
 * @throws VaultError if there is a key that cannot be opened
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
  if (!(await safeStorage.isAsyncEncryptionAvailable())) {
    throw new VaultError(
      "The key to Kurir's saved secrets is locked, because the system's password store is not available. Log in to the computer the way you did when Kurir was set up, unlock its keyring, and start Kurir again.",
    )
  }
  const decrypted = await safeStorage.decryptStringAsync(readFileSync(file)).catch((cause) => {
    throw new VaultError(
      `The key to Kurir's saved secrets (${file}) cannot be opened by this user on this computer. If the folder was copied from elsewhere, restore a backup instead. To begin anew without the saved logins, move the file away and start Kurir again.`,
      { cause },
    )
  })
  return checked(decrypted.result, file)
}

async function canSeal({ safeStorage, platform }: VaultDeps): Promise<boolean> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
  // On Linux without a keyring Chromium "encrypts" with a password that is written in its source.
  return platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}

function checked(text: string, file: string): string {
  const key = text.trim()
  if (!/^[0-9a-f]{64}$/.test(key)) {
    throw new VaultError(`${file} does not hold a key of Kurir's. Put the right file back and start Kurir again.`)
  }
  return key
}

/** A power cut leaves either no key or a whole one. */
function writeNew(file: string, content: Buffer | string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}
