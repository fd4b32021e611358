import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSecret, signatureHeaders } from '../../server/webhooks/callback.ts'

const BODY = '{"type":"message.sent","data":{"note":"Terima kasih 🙏 شكرا"}}'

test('the Standard Webhooks library verifies the signature', () => {
  const secret = createSecret()
  const headers = { ...signatureHeaders('0194-a', Date.now(), BODY, [secret]) }
  expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow()
  expect(() => new Webhook(secret).verify(BODY, { ...headers, 'webhook-id': 'another' })).toThrow()
  expect(() => new Webhook(createSecret()).verify(BODY, headers)).toThrow()
})

test('during a rotation a receiver with either secret verifies', () => {
  const [before, after] = [createSecret(), createSecret()]
  const headers = { ...signatureHeaders('0194-b', Date.now(), BODY, [after, before]) }
  for (const secret of [before, after]) expect(new Webhook(secret).verify(BODY, headers)).toBeTruthy()
})

test('the timestamp is that of the attempt, in seconds', () => {
  expect(signatureHeaders('x', 1_795_248_000_999, BODY, [createSecret()])['webhook-timestamp']).toBe('1795248000')
})

test('a secret holds 256 bits', () => {
  const secret = createSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(createSecret()).not.toBe(secret)
})
