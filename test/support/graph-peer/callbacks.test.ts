import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Callbacks, callbacks } from './callbacks.ts'

let server: Server
let meta: Callbacks
let received: { url: string; headers: IncomingHttpHeaders; body: Buffer }[]

beforeEach(async () => {
  received = []
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(202).end('seen')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  meta = callbacks({
    to: `http://127.0.0.1:${port}/waba/webhook`,
    appSecret: 'secret',
    phoneNumberId: '1',
    wabaId: '2',
  })
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it('signs the bytes it sends, which hold nothing outside ASCII', async () => {
  const answer = await meta.change('account_update', { name: 'Müller/☕' })
  expect(answer).toEqual({ status: 202, body: 'seen' })
  const body = received[0]?.body ?? Buffer.alloc(0)
  expect(body.toString()).toBe(
    '{"object":"whatsapp_business_account","entry":[{"id":"2","changes":[{"value":{"name":"M\\u00fcller\\/\\u2615"},"field":"account_update"}]}]}',
  )
  const hex = createHmac('sha256', 'secret').update(body).digest('hex')
  expect(received[0]?.headers['x-hub-signature-256']).toBe(`sha256=${hex}`)
})

it('puts a batch into one body', async () => {
  await meta.statuses(Array.from({ length: 1000 }, (_, index) => ({ wamid: `wamid.${index}`, status: 'sent' })))
  const value = JSON.parse(String(received[0]?.body)).entry[0].changes[0].value
  expect(received).toHaveLength(1)
  expect(value.metadata.phone_number_id).toBe('1')
  expect(value.statuses[999]).toEqual({
    id: 'wamid.999',
    status: 'sent',
    timestamp: '1795248000',
    recipient_id: '6281234567890',
  })
})

it('signs wrongly, partly or not at all when asked to', async () => {
  const status = { wamid: 'wamid.A', status: 'read' }
  for (const signing of ['wrong', 'truncated', 'missing', 'sha256=00'] as const) await meta.status(status, signing)
  const [wrong, truncated, missing, given] = received.map((one) => one.headers['x-hub-signature-256'])
  expect(wrong).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect(truncated).toMatch(/^sha256=[0-9a-f]{32}$/)
  expect([missing, given]).toEqual([undefined, 'sha256=00'])
})

it('shakes hands', async () => {
  await meta.handshake({ verifyToken: 'v', challenge: '77' })
  expect(received[0]?.url).toBe('/waba/webhook?hub.mode=subscribe&hub.challenge=77&hub.verify_token=v')
})
