import { type AddressInfo, createServer, isIP } from 'node:net'
import { request } from 'undici'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  AddressBlocked,
  type AddressPolicy,
  createGuardedDispatcher,
  MOST_ANSWER_BYTES,
  mediaPolicy,
  openConnection,
  type Resolve,
} from '../../server/lib/net-guard.ts'
import { createRecordingConnector, type RecordingConnector } from '../support/connector.ts'
import { CHUNK, CHUNKED, EARLY_HINTS, startFlood } from '../support/flood.ts'
import { startHttpServer, type TestServer } from '../support/http-server.ts'

let server: TestServer
let network: RecordingConnector
let lookups: string[]

beforeEach(async () => {
  server = await startHttpServer((req, res) => res.end(`hello ${req.headers.host}`))
  network = createRecordingConnector()
  lookups = []
})
afterEach(() => server.close())

async function get(url: string, answers: string[][], policy: AddressPolicy = mediaPolicy([])): Promise<string> {
  const resolve: Resolve = async (name) => {
    lookups.push(name)
    return answers.shift() ?? []
  }
  const dispatcher = createGuardedDispatcher({
    policy,
    mostBytes: MOST_ANSWER_BYTES,
    resolve,
    connect: network.connect,
  })
  try {
    return await (await request(url, { dispatcher })).body.text()
  } finally {
    await dispatcher.close()
  }
}

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://①②⑦.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[::]/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.5.4/',
  'http://192.168.1.10:8080/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'https://127.0.0.1/',
  'https://[::1]:8443/',
])('%s is refused before a connection, without a look-up', async (url) => {
  await expect(get(url, [])).rejects.toThrow(AddressBlocked)
  expect(network.calls).toEqual([])
  expect(lookups).toEqual([])
})

test.each([
  ['loopback', ['127.0.0.1']],
  ['private', ['10.0.0.7']],
  ['metadata', ['169.254.169.254']],
  ['IPv6 loopback', ['::1']],
  ['IPv4 mapped', ['::ffff:192.168.1.1']],
  ['public and private mixed', ['93.184.215.14', '10.0.0.7']],
  ['private behind public', ['93.184.215.14', '2606:4700::1111', '::ffff:127.0.0.1']],
  ['not an address', ['files.local']],
  ['link-local alone', ['169.254.3.4']],
])('a name that resolves to %s is refused before a connection', async (_, addresses) => {
  const failure = await get('http://files.example/', [addresses]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(AddressBlocked)
  expect(failure).toMatchObject({ host: 'files.example', address: addresses.at(-1) })
  expect(network.calls).toEqual([])
})

test('an answer of DNS that changes in between cannot matter: the checked address is the one connected to', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  expect(await get(`http://rebind.example:${server.port}/`, answers)).toBe(`hello rebind.example:${server.port}`)
  expect(lookups).toEqual(['rebind.example'])
  expect(network.calls).toEqual([`93.184.215.14:${server.port}`])
})

test('each request is checked again, so the second answer of DNS is refused', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const resolve: Resolve = async () => answers.shift() ?? []
  const dispatcher = createGuardedDispatcher({
    policy: mediaPolicy([]),
    mostBytes: MOST_ANSWER_BYTES,
    resolve,
    connect: network.connect,
  })
  const url = `http://rebind.example:${server.port}/`
  await (await request(url, { dispatcher })).body.text()
  await expect(request(url, { dispatcher })).rejects.toThrow(AddressBlocked)
  expect(network.calls).toHaveLength(1)
  await dispatcher.close()
})

test('what the connector gets is an address, never a name', async () => {
  await get(`http://files.example:${server.port}/`, [['93.184.215.14']])
  for (const call of network.calls) expect(isIP(call.slice(0, call.lastIndexOf(':')))).not.toBe(0)
})

test('stray link-local answers of a PC on the LAN do not close the way to its real address', async () => {
  const answers = [['fe80::12%7', '169.254.80.80', '192.168.1.10']]
  await get(`http://kasir-pc:${server.port}/`, answers, mediaPolicy(['kasir-pc']))
  expect(network.calls).toEqual([`192.168.1.10:${server.port}`])
})

test('the next address is tried when the first does not answer', async () => {
  const toServer = network.connect
  network.connect = (options, callback) => {
    if (options.hostname !== '93.184.215.15') return toServer(options, callback)
    network.calls.push('dead')
    callback(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null)
  }
  expect(await get(`http://two.example:${server.port}/`, [['93.184.215.15', '93.184.215.14']])).toContain('hello')
  expect(network.calls).toEqual(['dead', `93.184.215.14:${server.port}`])
})

test('over https the checked address is asked for the certificate of the name', async () => {
  const { promise: hello, resolve: greet } = Promise.withResolvers<string>()
  const tcp = createServer((socket) =>
    socket.once('data', (bytes) => {
      greet(bytes.toString('latin1'))
      socket.destroy()
    }),
  )
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as AddressInfo
  await expect(get(`https://shop.example:${port}/`, [['93.184.215.14']])).rejects.toThrow()
  expect(network.calls).toEqual([`93.184.215.14:${port}`])
  expect(await hello).toContain('shop.example')
  tcp.close()
})

test.each([
  ['http://shop.example/', 80],
  ['https://shop.example/', 443],
  ['http://shop.example:8080/', 8080],
])('the port of %s is judged as %i', async (url, port) => {
  const judged: number[] = []
  const policy: AddressPolicy = (target) => {
    judged.push(target.port)
    return 'the test says so'
  }
  await expect(get(url, [['93.184.215.14']], policy)).rejects.toThrow('the test says so')
  expect(judged).toEqual([port])
})

test('a name without addresses is an error of the look-up, not of the guard', async () => {
  await expect(get('http://nowhere.example/', [[]])).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test.each([
  ['', EARLY_HINTS],
  [CHUNKED, CHUNK],
])('an answer without an end (%j %.20j) is cut off', async (start, again) => {
  const { port } = await startFlood(start, again)
  const dispatcher = createGuardedDispatcher({ policy: () => null, mostBytes: 1024 * 1024 })
  onTestFinished(() => dispatcher.destroy())
  const answer = request(`http://127.0.0.1:${port}/`, { dispatcher }).then(({ body }) => body.text())
  await expect(answer).rejects.toThrow('more than 1048576 bytes')
})

test('so is one that is not HTTP', async () => {
  const { port } = await startFlood('', '\r\n')
  const open = { host: '127.0.0.1', port, policy: () => null, resolve: async () => [], mostBytes: 1024 * 1024 }
  const socket = await openConnection(open)
  const end = new Promise((resolve) => socket.on('error', resolve))
  socket.resume()
  expect(await end).toMatchObject({ message: 'its answer has more than 1048576 bytes' })
})
