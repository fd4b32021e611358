import { createServer } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addressesFor, listen, shut } from '../../server/http/listen.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

const app = express()
app.use((_req, res) => void res.end('kurir'))
const listener = { app, host: '127.0.0.1', port: 0, variable: 'KURIR_PORT' }

async function open(change: Partial<Parameters<typeof listen>[0]> = {}) {
  const opened = await listen({ ...listener, ...change })
  onTestFinished(() => Promise.all(opened.servers.map((server) => shut(server, 0))).then(() => undefined))
  return opened
}

/** Another program on this address and port. */
async function takes(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test.each([
  ['127.0.0.1', ['127.0.0.1', '::1']],
  ['localhost', ['127.0.0.1', '::1']],
  ['0.0.0.0', ['0.0.0.0', '::1']],
  ['::', ['::']],
  ['::1', ['::1', '127.0.0.1']],
  ['192.168.1.5', ['192.168.1.5', '127.0.0.1', '::1']],
])('%s is listened on by %j: this PC is always among them', (host, addresses) => {
  expect(addressesFor(host)).toEqual(addresses)
})

describe.skipIf(!hasIPv6)('a program that asks ::1 first, as localhost leads it', () => {
  test('finds Kurir there', async () => {
    const { port } = await open()
    for (const host of ['127.0.0.1', '[::1]'])
      expect(await (await fetch(`http://${host}:${port}/`)).text()).toBe('kurir')
  })

  test('never finds another program there: Kurir does not start then, and says why', async () => {
    const port = await takes('::1')
    await expect(open({ port })).rejects.toThrow(
      `Port ${port} is taken by another program (on [::1]). Close the other program, or choose another port with KURIR_PORT=`,
    )
    // Nothing is left open.
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })
})

test('an address that this PC does not have is what is wrong, not the port', async () => {
  await expect(open({ host: '203.0.113.9' })).rejects.toThrow(
    'This PC has no address 203.0.113.9. Correct KURIR_HOST: 127.0.0.1, or 0.0.0.0 for the LAN.',
  )
})

test('a listener for strangers takes so many connections and no more', async () => {
  const { port } = await open({ limits: { connections: 2, requestTimeout: 15_000 } })
  const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1'))
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
  const closed = await Promise.race(
    sockets.map(
      (socket, i) => new Promise<number>((resolve) => socket.once('close', () => resolve(i)).on('error', () => {})),
    ),
  )
  expect([0, 1, 2]).toContain(closed)
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(2)
})

test('a connection that a browser opened in advance does not keep it from closing', async () => {
  const { servers, port } = await open()
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => servers[0]?.once('connection', resolve))
  await Promise.all(servers.map((server) => shut(server, 3_600_000)))
  await closed
})
