import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createVault } from '../../server/lib/vault.ts'

const vault = createVault(randomBytes(32))

test('what was sealed opens in its place', () => {
  expect(vault.open(vault.seal('a secret', 'webhook/1'), 'webhook/1').toString()).toBe('a secret')
  expect(vault.open(vault.seal(Buffer.alloc(0), 'x'), 'x')).toEqual(Buffer.alloc(0))
})

test('moved to another place it does not', () => {
  const sealed = vault.seal('a secret', 'webhook/1')
  expect(() => vault.open(sealed, 'webhook/2')).toThrow()
})

test('changed anywhere it does not', () => {
  const sealed = vault.seal('a secret', 'webhook/1')
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => vault.open(changed, 'webhook/1'), `byte ${at}`).toThrow()
  }
})

test('cut off, empty, or under another key it does not', () => {
  const sealed = vault.seal('a secret', 'webhook/1')
  for (const length of [0, 12, 20, 28, sealed.length - 1])
    expect(() => vault.open(sealed.subarray(0, length), 'webhook/1'), `${length} bytes`).toThrow()
  expect(() => createVault(randomBytes(32)).open(sealed, 'webhook/1')).toThrow()
})

test('the same secret never looks the same twice', () => {
  expect(vault.seal('a secret', 'x')).not.toEqual(vault.seal('a secret', 'x'))
})
