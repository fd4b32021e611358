import { randomBytes } from 'node:crypto'
import { createVault, type DataKey, type Reseal, type Vault } from '../lib/vault.ts'
import type { Store } from '../store/index.ts'
import { loadVaultKey, readVaultKey, VaultKeyError, WAYS_OUT, WAYS_OUT_OF_NODE } from './data-folder.ts'

const context = 'data-key'

/**
 * Opens the data key, creating it at the first start. Secrets are sealed with the data key of the
 * folder, and the data key with the key of this PC. So a restored backup opens on another PC after
 * one value is sealed again, and a lost key is noticed at the start, before anything is written.
 * @param shellKey 32 bytes that the desktop's shell keeps; undefined: a key file is used
 * @param keyFile path of the key file; undefined: a file in the data folder, made at the first
 *   start
 * @throws VaultKeyError
 */
export async function openDataKey(
  home: string,
  { meta, sealed }: Store,
  shellKey: Buffer | undefined,
  keyFile?: string,
): Promise<DataKey> {
  const found = meta.get('data_key')
  const outer = createVault(
    shellKey ??
      (keyFile === undefined ? loadVaultKey(home, found === undefined) : readVaultKey(keyFile, WAYS_OUT_OF_NODE)),
  )
  const sealForThisPc = (key: Buffer) => outer.seal(key, context).toString('base64')
  // If several nodes start for the first time together, all of them use the key that was stored
  // first.
  const kept = found ?? (await meta.keep('data_key', sealForThisPc(randomBytes(32))))
  const open = (stored: string) => openWith(outer, stored, keyFile === undefined ? { home } : undefined)
  let bytes = open(kept)
  if (meta.get('data_key_rotation') !== undefined && meta.get('data_key_before') === undefined && sealed !== null) {
    const fresh = randomBytes(32)
    await sealed.begin({ now: sealForThisPc(fresh), before: kept }, resealing(bytes, fresh))
    bytes = fresh
  }
  // Also finishes a rotation that an earlier start began.
  const before = meta.get('data_key_before')
  if (before !== undefined) await sealed?.finish(resealing(open(before), bytes))
  return {
    vault: createVault(bytes),
    bytes,
    sealForThisPc,
    rotate: () => meta.save('data_key_rotation', 'wanted'),
  }
}

/** @param folder undefined: the data key is in a database that nodes share */
function openWith(outer: Vault, stored: string, folder: { home: string } | undefined): Buffer {
  try {
    return outer.open(Buffer.from(stored, 'base64'), context)
  } catch (cause) {
    const [where, waysOut] = folder === undefined ? ['the database', WAYS_OUT_OF_NODE] : [folder.home, WAYS_OUT]
    throw new VaultKeyError(`Kurir's saved logins in ${where} were sealed with another key. ${waysOut}`, { cause })
  }
}

/**
 * Returns a function that seals values with the new key. It leaves values unchanged that the old
 * key does not open: the new key sealed them already, or neither key opens them.
 */
function resealing(before: Buffer, now: Buffer): Reseal {
  const [from, to] = [createVault(before), createVault(now)]
  return (sealed, place) => {
    const plain = opened(from, sealed, place)
    return plain === undefined ? sealed : to.seal(plain, place)
  }
}

function opened(vault: Vault, sealed: Uint8Array, place: string): Buffer | undefined {
  try {
    return vault.open(sealed, place)
  } catch {
    return undefined
  }
}
