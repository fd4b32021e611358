import { randomBytes } from 'node:crypto'
import { createVault, type Vault } from '../lib/vault.ts'
import { loadVaultKey, readVaultKey, VaultKeyError, WAYS_OUT } from './folder.ts'

const context = 'data-key'

export interface DataKey {
  /** Seals the secrets of this data folder. */
  vault: Vault
  /** What `vault` seals with. Goes into a backup, which is encrypted as a whole. */
  bytes: Buffer
  /** Any data key in the form in which it is stored here, for this PC only. */
  sealForThisPc(dataKey: Buffer): string
}

export interface DataKeyDeps {
  home: string
  /** 32 bytes that the desktop's shell keeps; without them a key file is used. */
  shellKey: Buffer | undefined
  /** The sealed data key as it is kept in the database. */
  stored: { read(): string | undefined; keep(sealed: string): Promise<string> }
  /** Where the key file is; undefined: in the data folder, made at the first start. */
  keyFile?: string | undefined
}

/**
 * Secrets are sealed with a data key of the folder, and that one with the key of this PC. So a restored backup opens on
 * another PC after one value was sealed again, and a lost key is noticed at the start, before anything is written.
 * @throws VaultKeyError
 */
export async function openDataKey({ home, shellKey, stored, keyFile }: DataKeyDeps): Promise<DataKey> {
  const found = stored.read()
  const outer = createVault(
    shellKey ?? (keyFile === undefined ? loadVaultKey(home, found === undefined) : readVaultKey(keyFile)),
  )
  const sealForThisPc = (key: Buffer) => outer.seal(key, context).toString('base64')
  // Where several nodes start for the first time together, one key counts.
  const kept = found ?? (await stored.keep(sealForThisPc(randomBytes(32))))
  const bytes = open(outer, kept, home)
  return { vault: createVault(bytes), bytes, sealForThisPc }
}

function open(outer: Vault, stored: string, home: string): Buffer {
  try {
    return outer.open(Buffer.from(stored, 'base64'), context)
  } catch (cause) {
    throw new VaultKeyError(`Kurir's saved logins in ${home} were sealed with another key. ${WAYS_OUT}`, { cause })
  }
}
