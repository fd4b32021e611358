import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LISTENER_LIMITS } from '../../../server/connections/official/inbox/listener.ts'
import { APP_SECRET, startOfficial } from '../../support/official.ts'

const MB = 1024 * 1024
const SIGNED = `sha256=${createHmac('sha256', APP_SECRET).update('another body').digest('hex')}`

/** A caller of the listener that sends as slowly as it likes. */
async function call(
  url: string,
  headers: Record<string, string | number>,
): Promise<Socket & { answer: Promise<string> }> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const lines = Object.entries({ host: 'tunnel.example', ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString()
  })
  const answer = once(socket, 'close').then(() => text)
  return Object.assign(socket, { answer })
}

test.each([
  ['no signature', {}],
  ['half a signature', { 'x-hub-signature-256': 'sha256=abcd' }],
])('a body with %s is not read: its connection ends, however slowly it comes', async (_what, headers) => {
  const { app } = await startOfficial()
  const caller = await call(app.app.webhookUrl(), { ...headers, 'content-length': 2 * MB })
  caller.write('{')
  const answer = await caller.answer
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(answer).toMatch(/connection: close/i)
})

test('bodies in flight have a common limit for all callers', async () => {
  const { app, meta } = await startOfficial()
  const url = app.app.webhookUrl()
  // Each 1 byte short of its end: all of it is in memory.
  const length = 3 * MB
  const callers = await Promise.all(
    Array.from({ length: 6 }, () => call(url, { 'x-hub-signature-256': SIGNED, 'content-length': length })),
  )
  for (const caller of callers) caller.write(Buffer.alloc(length - 1, 0x20))
  const refused = await Promise.race(callers.map(({ answer }) => answer))
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  // Once they are gone there is room again.
  for (const caller of callers) caller.destroy()
  await expect.poll(() => meta.status({ wamid: 'wamid.X', status: 'read' }).then(({ status }) => status)).toBe(200)
})

test('large bodies of strangers do not keep short callbacks out', async () => {
  const { app, meta } = await startOfficial()
  const url = app.app.webhookUrl()
  for (const bytes of [3, 3, 3, 3, 3, 1].map((each) => each * MB - 1)) {
    const caller = await call(url, { 'x-hub-signature-256': SIGNED, 'content-length': bytes + 1 })
    caller.write(Buffer.alloc(bytes, 0x20))
  }
  const answers = new Set<number>()
  for (let n = 0; n < 100; n += 1) answers.add((await meta.status({ wamid: `wamid.${n}`, status: 'read' })).status)
  expect([...answers]).toEqual([200])
})

test('a body larger than Meta’s limit is refused before it is read', async () => {
  const { app } = await startOfficial()
  const caller = await call(app.app.webhookUrl(), { 'x-hub-signature-256': SIGNED, 'content-length': 3 * MB + 1 })
  expect(await caller.answer).toMatch(/^HTTP\/1\.1 413 /)
})

test('strangers whose bodies never end do not keep Meta out', async () => {
  const { app, meta } = await startOfficial()
  const { hostname, port, pathname } = new URL(app.app.webhookUrl())
  const head = `POST ${pathname} HTTP/1.1\r\nhost: tunnel.example\r\nx-hub-signature-256: ${SIGNED}\r\ncontent-length: 100\r\n\r\n{`
  let closed = 0
  for (let n = 0; n < LISTENER_LIMITS.connections + 10; n += 1) {
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.on('error', () => undefined).on('close', () => (closed += 1))
    socket.resume().write(head)
  }
  expect((await meta.status({ wamid: 'wamid.X', status: 'read' })).status).toBe(200)
  // The first of them made room.
  await expect.poll(() => closed).toBeGreaterThanOrEqual(10)
})
