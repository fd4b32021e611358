import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fault } from './faults.ts'
import { acceptMessage } from './messages.ts'
import { type RecordedRequest, recordRequest } from './recorded.ts'
import { reply } from './replies.ts'
import { findRoute, type Route, type RouteName } from './routes.ts'
import { createState, type PeerState } from './state.ts'

export interface GraphPeer {
  url: string
  /** First token that the peer accepts. */
  token: string
  /** Every call that was read completely, oldest first. */
  requests: RecordedRequest[]
  state: PeerState
  /** Gives these faults to the next calls of a route, one each. */
  answerNext(faults: Fault | readonly Fault[], route?: RouteName): void
  /** Gives this fault to every call of a route; null ends it. */
  answerAlways(fault: Fault | null, route?: RouteName): void
  /** Lets a function answer calls: it returns null for the usual answer. Null ends it. */
  answerBy(decide: ((request: RecordedRequest) => Fault | null) | null): void
  /** Reads the next call of a route and answers it only when released. */
  holdNext(route?: RouteName): Held
  /** Resolves when `count` calls have arrived in total. */
  arrivals(count: number): Promise<void>
  /** Number of connections opened so far. */
  connections(): number
  close(): Promise<void>
}

export interface Held {
  arrived: Promise<RecordedRequest>
  /** Answers normally, or with the fault. */
  release(fault?: Fault): void
}

export interface PeerOptions {
  tokens?: readonly string[]
  /** Default: a free port. */
  port?: number
  /** False for benchmarks, which would otherwise keep every request. */
  record?: boolean
}

/** Starts a stand-in for Meta's Graph API on 127.0.0.1. */
export async function startGraphPeer(options: PeerOptions = {}): Promise<GraphPeer> {
  const { tokens = ['EAAPeerToken0123456789abcdefghij'], port: wanted = 0, record = true } = options
  const state = createState()
  const requests: RecordedRequest[] = []
  const queued = new Map<RouteName, Fault[]>()
  const standing = new Map<RouteName, Fault>()
  const watchers: { count: number; resolve: () => void }[] = []
  let decideBy: ((request: RecordedRequest) => Fault | null) | null = null
  let started = 0
  let arrived = 0
  let opened = 0

  const server = createServer((request, response) => {
    // A caller that disconnects while being read is a test case, not an error of the peer.
    serve(request, response).catch((error: Error) => response.destroy(error))
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', () => {
    opened += 1
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://peer')
    const route = findRoute(request.method ?? 'GET', url.pathname)
    const fault = route && (queued.get(route.name)?.shift() ?? standing.get(route.name) ?? null)
    if (fault?.kind === 'cut' && fault.when === 'before reading') {
      request.socket.destroy()
      return
    }
    started += 1
    const recorded = await recordRequest(request, url, route?.name ?? null, started)
    arrived += 1
    if (record) requests.push(recorded)
    for (const watcher of watchers) if (arrived >= watcher.count) watcher.resolve()
    await respond(fault ?? decideBy?.(recorded) ?? null, recorded, route, response)
  }

  async function respond(
    fault: Fault | null,
    request: RecordedRequest,
    route: Route | null,
    response: ServerResponse,
  ): Promise<void> {
    switch (fault?.kind) {
      case 'hold':
        fault.arrived(request)
        return respond(await fault.until, request, route, response)
      case 'cut':
        return cutLine(response, fault.when === 'inside the answer')
      case 'answer':
        response.writeHead(fault.status, fault.headers).end(fault.body)
        return
      case 'accept':
        return respond(acceptMessage(state, request, fault.messageStatus), request, route, response)
      default:
        return respond(await reply(state, tokens, request, route), request, route, response)
    }
  }

  function enqueue(route: RouteName, faults: readonly Fault[]): void {
    queued.set(route, [...(queued.get(route) ?? []), ...faults])
  }

  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    token: tokens[0] ?? '',
    requests,
    state,
    answerNext(faults, route = 'messages') {
      enqueue(route, 'kind' in faults ? [faults] : faults)
    },
    answerAlways(fault, route = 'messages') {
      if (fault === null) standing.delete(route)
      else standing.set(route, fault)
    },
    answerBy(decide) {
      decideBy = decide
    },
    holdNext(route = 'messages') {
      const arrival = Promise.withResolvers<RecordedRequest>()
      const gate = Promise.withResolvers<Fault | null>()
      enqueue(route, [{ kind: 'hold', arrived: arrival.resolve, until: gate.promise }])
      return { arrived: arrival.promise, release: (fault) => gate.resolve(fault ?? null) }
    },
    arrivals(count) {
      if (arrived >= count) return Promise.resolve()
      return new Promise((resolve) => watchers.push({ count, resolve }))
    },
    connections: () => opened,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function cutLine(response: ServerResponse, insideTheAnswer: boolean): void {
  if (!insideTheAnswer) {
    response.socket?.destroy()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 })
  response.write('{"messaging_product":"whatsapp",', () => response.socket?.destroy())
}
