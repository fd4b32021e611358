import { Curve } from 'baileys'
import { expect, test } from 'vitest'
import { enforceSignatures } from '../../../server/connections/linked/library/corrections.ts'

test('a signature counts only if it is one', () => {
  const { public: key, private: secret } = Curve.generateKeyPair()
  const message = Buffer.from('vouched for')
  const signature = Curve.sign(secret, message)
  expect(Curve.verify(key, Buffer.from('forged'), signature), 'the library now checks by itself').toBe(true)
  enforceSignatures()
  expect(Curve.verify(key, message, signature)).toBe(true)
  expect(Curve.verify(key, Buffer.from('forged'), signature)).toBe(false)
  expect(Curve.verify(key, message, Buffer.alloc(3))).toBe(false)
})
