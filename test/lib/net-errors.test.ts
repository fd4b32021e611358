import { createServer } from 'node:net'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { describeNetworkError } from '../../server/lib/net-errors.ts'

/** What the owner reads of a call by https to a port that says `answer`. */
async function reads(answer: Buffer): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => undefined).end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return request(`https://127.0.0.1:${port}/`).then(() => '', describeNetworkError)
}
const alert = (code: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, code])

test.each([
  ['a port of http', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'it speaks http there, not https (ERR_SSL_'],
  ['another version', alert(70), 'it and this PC have no version of TLS in common (ERR_SSL_'],
  ['another cipher', alert(40), 'it and this PC have no way to encrypt in common (ERR_SSL_'],
  ['another reason', alert(80), 'no encrypted connection came about (ERR_SSL_'],
])('%s is named, not where OpenSSL found it', async (_, answer, words) => {
  const said = await reads(answer)
  expect(said).toContain(words)
  expect(said).not.toMatch(/routines|openssl/)
})

test('the words of another program are one line of 300 letters', () => {
  const words = `554 5.7.1 no\r\n554 \u001b[31m${'x'.repeat(1000)}`
  expect(describeNetworkError(new Error(words))).toMatch(/^554 5\.7\.1 no 554 {2}\[31mx{270,280}…$/)
  expect(describeNetworkError(Object.assign(new Error('no'), { code: 'EAUTH' }))).toBe('no (EAUTH)')
})
