import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openVault, VaultError } from '../../main/vault.ts'
import { FakeSafeStorage } from './support/electron.ts'
import { temporaryFolder } from './support/shell.ts'

function createVault(platform: NodeJS.Platform = 'linux') {
  const folder = temporaryFolder()
  const safeStorage = new FakeSafeStorage()
  return {
    folder,
    safeStorage,
    open: () => openVault({ safeStorage, platform, folder, randomBytes }),
    sealedFile: join(folder, 'vault.key'),
    plainFile: join(folder, 'vault-unsealed.key'),
  }
}

describe('with a password store of the system', () => {
  test('the key is made once and lies sealed on disk', async () => {
    const vault = createVault()
    const first = await vault.open()
    expect(first).toEqual({ keyHex: expect.stringMatching(/^[0-9a-f]{64}$/), sealed: true })
    expect(await vault.open()).toEqual(first)
    expect(readdirSync(vault.folder)).toEqual(['vault.key'])
    expect(readFileSync(vault.sealedFile, 'utf8')).not.toContain(first.keyHex)
  })

  test('a key sealed on another computer is an error and stays as it is', async () => {
    const vault = createVault()
    await vault.open()
    const before = readFileSync(vault.sealedFile)
    vault.safeStorage.knowsTheKey = false
    await expect(vault.open()).rejects.toThrow(new VaultError('foreign', vault.sealedFile))
    expect(readFileSync(vault.sealedFile)).toEqual(before)
    expect(readdirSync(vault.folder)).toEqual(['vault.key'])
  })

  test('a locked store is an error, never a new key', async () => {
    const vault = createVault()
    const { keyHex } = await vault.open()
    vault.safeStorage.available = false
    await expect(vault.open()).rejects.toMatchObject({ reason: 'locked' })
    vault.safeStorage.available = true
    expect((await vault.open()).keyHex).toBe(keyHex)
    expect(readdirSync(vault.folder)).toEqual(['vault.key'])
  })

  test('a file that holds no key is an error', async () => {
    const vault = createVault()
    writeFileSync(vault.sealedFile, '')
    await expect(vault.open()).rejects.toMatchObject({ reason: 'damaged' })
    expect(readFileSync(vault.sealedFile, 'utf8')).toBe('')
  })
})

describe('without one', () => {
  test('the key lies in a file for this user only, and stays in use when a store appears', async () => {
    const vault = createVault()
    vault.safeStorage.available = false
    const first = await vault.open()
    expect(first.sealed).toBe(false)
    expect(readdirSync(vault.folder)).toEqual(['vault-unsealed.key'])

    vault.safeStorage.available = true
    expect(await vault.open()).toEqual(first)
  })

  test.skipIf(process.platform === 'win32')('nobody else may read that file', async () => {
    const vault = createVault()
    vault.safeStorage.available = false
    await vault.open()
    expect(statSync(vault.plainFile).mode & 0o777).toBe(0o600)
  })

  test("Chromium's fixed password on Linux does not count as a store", async () => {
    const vault = createVault('linux')
    vault.safeStorage.backend = 'basic_text'
    expect((await vault.open()).sealed).toBe(false)
  })
})
