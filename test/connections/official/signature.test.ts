import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signatureMatches } from '../../../server/connections/official/inbox/listener.ts'

const body = Buffer.from('{"entry":[{"name":"Jos\\u00e9\\/M\\u00fcller"}]}')
const hex = createHmac('sha256', 'app-secret').update(body).digest('hex')

it('accepts the signature over the raw bytes, in either case of letters', () => {
  expect(signatureMatches(body, `sha256=${hex}`, 'app-secret')).toBe(true)
  expect(signatureMatches(body, `sha256=${hex.toUpperCase()}`, 'app-secret')).toBe(true)
})

it('refuses the same content written in another way', () => {
  const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  expect(signatureMatches(rewritten, `sha256=${hex}`, 'app-secret')).toBe(false)
})

it.each([
  ['missing', undefined],
  ['empty', ''],
  ['truncated', `sha256=${hex.slice(0, 62)}`],
  ['too long', `sha256=${hex}00`],
  ['without the algorithm', hex],
  ['of another algorithm', `sha1=${hex}`],
  ['no hex', `sha256=${'z'.repeat(64)}`],
  ['off by one', `sha256=${hex.slice(0, 63)}${hex.endsWith('0') ? '1' : '0'}`],
])('refuses a header that is %s', (_, header) => {
  expect(signatureMatches(body, header, 'app-secret')).toBe(false)
})

it('refuses another app’s secret, and an empty one even if the sender signed with it', () => {
  expect(signatureMatches(body, `sha256=${hex}`, 'other-secret')).toBe(false)
  const unkeyed = createHmac('sha256', '').update(body).digest('hex')
  expect(signatureMatches(body, `sha256=${unkeyed}`, '')).toBe(false)
})
