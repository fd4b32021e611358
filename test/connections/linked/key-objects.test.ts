import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import '../../../server/connections/linked/index.ts'
import { aesEncryptGCM, hmacSign } from 'baileys'

const bytes = randomBytes(32)
const signal = createRequire(import.meta.url)('libsignal/src/crypto') as {
  encrypt(key: Buffer, data: Buffer, iv: Buffer): Buffer
}

// What Node refuses shows the way there.
test.each([
  ['a sign of the library', () => hmacSign(bytes, bytes, 'none' as 'sha256')],
  ['a frame', () => aesEncryptGCM(bytes, bytes, new Uint8Array(0), bytes)],
  ['a message', () => signal.encrypt(bytes, bytes, Buffer.alloc(1))],
])('the key of %s is given to Node as a key object', (_what, work) => {
  const stack = (() => {
    try {
      work()
      return ''
    } catch (error) {
      return (error as Error).stack ?? ''
    }
  })()
  expect(stack).toContain('/before.ts:')
})

test.each([
  ['bytes', bytes],
  ['no bytes', new Uint8Array(0)],
])('a key of %s signs as it did', (_what, key) => {
  const sign = (by: Parameters<typeof createHmac>[1]) => createHmac('sha256', by).update('halo').digest('hex')
  expect(sign(key)).toBe(sign(createSecretKey(key)))
})

test('what is sealed with a key object can be opened with its bytes', () => {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createSecretKey(bytes), iv)
  const sealed = Buffer.concat([cipher.update('halo'), cipher.final()])
  const decipher = createDecipheriv('aes-256-cbc', bytes, iv)
  expect(Buffer.concat([decipher.update(sealed), decipher.final()]).toString()).toBe('halo')
})
