import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import { ApiError } from '../contract/errors.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import type { Disposer } from '../lib/disposer.ts'
import { createServer } from '../lib/node-http.ts'

// Calls that are being answered may finish within this time when Kurir stops.
export const FINISH_WITHIN = 10 * SECOND

/** Long enough for a backup of some gigabytes. Every other body has a limit of its own. */
const LONGEST_UPLOAD = 10 * MINUTE

export interface Listener {
  app: Express
  host: string
  port: number
  /** Environment variable for the port. That for the address has HOST in place of PORT. */
  variable: string
  /** For a listener that strangers reach. `requestTimeout` in milliseconds. */
  limits?: { connections: number; requestTimeout: number }
}

/**
 * Opens a listener, and closes it with `disposer`. Resolves with the port.
 * @throws Error with a sentence for the owner
 */
export async function openListener(listener: Listener, disposer: Disposer): Promise<number> {
  const { servers, port } = await listen(listener)
  disposer.defer(listener.variable, async () => {
    await Promise.all(servers.map((server) => shut(server, FINISH_WITHIN)))
  })
  return port
}

/**
 * Returns the addresses to listen on. The loopback addresses are always among them, for the window
 * and the command line. For `localhost` some programs try `::1` first, and another program that
 * listens there would get their keys.
 */
export function addressesFor(host: string): string[] {
  if (host === '::') return [host]
  if (host === '0.0.0.0') return [host, '::1']
  return [...new Set([host === 'localhost' ? '127.0.0.1' : host, '127.0.0.1', '::1'])]
}

// With port 0, the port that the system chose for the first address may be taken on the second.
const MOST_TRIES = 5

/** Begins to listen. @throws Error that names the address or port and what to do. */
export async function listen(listener: Listener): Promise<{ servers: Server[]; port: number }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listenOnAll(listener)
    } catch (error) {
      if (listener.port !== 0 || tries === MOST_TRIES) throw error
    }
  }
}

async function listenOnAll({
  app,
  host,
  port,
  variable,
  limits,
}: Listener): Promise<{ servers: Server[]; port: number }> {
  const servers: Server[] = []
  let chosen = port
  for (const address of addressesFor(host)) {
    const server = createServer(app)
    keepUnused(server)
    answerBeforeRest(server)
    // Clients that send headers slowly would hold sockets open for ever.
    server.headersTimeout = 20 * SECOND
    server.requestTimeout = limits?.requestTimeout ?? LONGEST_UPLOAD
    if (limits !== undefined) makeRoom(server, limits.connections)
    try {
      chosen = await begin(server, address, chosen)
      servers.push(server)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A PC without IPv6.
      if (address === '::1' && host !== '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue
      await Promise.all(servers.map((each) => shut(each, 0)))
      throw listenError(error as NodeJS.ErrnoException, address, chosen, variable)
    }
  }
  return { servers, port: chosen }
}

const withRest = new WeakSet<IncomingMessage>()

/** True if more bytes followed a request than its Content-Length says. */
export const hasRest = (req: IncomingMessage): boolean => withRest.has(req)

const UNESCAPED = new ApiError(
  'invalid_request',
  'The address of this call has spaces or characters that must be escaped, such as %20 for a space.',
)

/** Returns an answer to bytes that Node could not parse as a request. */
function bareAnswer(code: string): string {
  const isUnescaped = code === 'HPE_INVALID_URL' || code === 'HPE_INVALID_CONSTANT'
  const body = isUnescaped ? JSON.stringify(UNESCAPED.toAnswer()) : ''
  const lines = [
    `HTTP/1.1 ${BROKEN[code] ?? '400 Bad Request'}`,
    'Connection: close',
    ...(isUnescaped ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Node's own answers to broken requests. Any other broken request gets 400. */
const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Answers a call although more bytes follow its body. Programs that count characters instead of
 * bytes send a Content-Length that is too small. Node would answer the rest with 400 in place of
 * the call's own answer, and the program would send an accepted message again.
 */
function answerBeforeRest(server: Server): void {
  const calls = new WeakMap<Duplex, { req: IncomingMessage; res: ServerResponse }>()
  server.on('request', (req, res) => calls.set(req.socket, { req, res }))
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    const { req, res } = calls.get(socket) ?? {}
    const isAnswered = res === undefined || res.writableFinished
    if (req?.complete && !isAnswered && code.startsWith('HPE_')) {
      withRest.add(req)
      res.shouldKeepAlive = false
      return
    }
    if (socket.writable && (isAnswered || !res.headersSent)) socket.write(bareAnswer(code))
    socket.destroy()
  })
}

/** Closes the oldest connection if there are too many: strangers must not hold all of them. */
function makeRoom(server: Server, connections: number): void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size > connections) open.values().next().value?.destroy()
  })
}

async function begin(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  const advice = `Close the other program, or choose another port with ${variable}=<number> or in Settings.`
  const hostVariable = variable.replace('PORT', 'HOST')
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program${host === '::1' ? ' (on [::1])' : ''}. ${advice}`, {
      cause: error,
    })
  if (error.code === 'EACCES') return new Error(`This user may not use port ${port}. ${advice}`, { cause: error })
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')
    return new Error(`This PC has no address ${host}. Correct ${hostVariable}: 127.0.0.1, or 0.0.0.0 for the LAN.`, {
      cause: error,
    })
  return new Error(`Kurir cannot listen on ${place}. ${advice}`, { cause: error })
}

/** Connections without a request so far: browsers open some, and Node never calls them idle. */
const unused = new WeakMap<Server, Set<Socket>>()

function keepUnused(server: Server): void {
  const sockets = new Set<Socket>()
  unused.set(server, sockets)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', sockets.delete.bind(sockets, socket))
  })
  server.on('request', ({ socket }) => sockets.delete(socket))
}

/** Stops listening, and waits at most `ms` for calls that are being answered. */
export async function shut(server: Server, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const closeIdle = (): void => {
    server.closeIdleConnections()
    for (const socket of unused.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
  }
  closeIdle()
  // Repeated: a connection whose call ends meanwhile would stay open for a call that never comes.
  const idle = setInterval(closeIdle, 20)
  const end = setTimeout(() => server.closeAllConnections(), ms)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
