import { connect } from 'node:net'

/**
 * Load generator in a process of its own: `node load.ts <json>` sends requests and prints the
 * result as JSON.
 */
export interface LoadPlan {
  origin: string
  /** POST by default. */
  method?: 'GET' | 'POST'
  /** Every `{n}`, here and in the body, is replaced by the number of the request. */
  path: string
  headers: Record<string, string>
  body: string
  connections: number
  /** Number of requests, unused if `forMs` is set. */
  requests: number
  /** Minimum time between the starts of a connection's requests, as at a till. */
  everyMs?: number
  forMs?: number
}

export interface LoadResult {
  perSecond: number
  /** Latencies in milliseconds. */
  p50: number
  p95: number
  p99: number
  max: number
  /** Number of answers other than 2xx. */
  failures: number
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Returns the bytes of the first answer in `data`; 0 while it is incomplete. All servers that are
 * measured here send Content-Length.
 */
function lengthOfAnswer(data: Buffer): number {
  const headEnd = data.indexOf(HEAD_END)
  if (headEnd === -1) return 0
  const length = /content-length: (\d+)/i.exec(data.toString('latin1', 0, headEnd))?.[1]
  const total = headEnd + HEAD_END.length + Number(length)
  return data.length >= total ? total : 0
}

/**
 * Uses plain sockets, because an HTTP client would need more of the machine than the servers it
 * measures.
 */
async function run(plan: LoadPlan): Promise<LoadResult> {
  const { hostname, port, host } = new URL(plan.origin)
  const headers = Object.entries({ host, ...plan.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const headOf = (n: string) =>
    `${plan.method ?? 'POST'} ${plan.path.replaceAll('{n}', n)} HTTP/1.1\r\n${headers.join('')}`
  const times: number[] = []
  let next = 0
  let failures = 0
  const began = performance.now()
  const isOver = () => (plan.forMs === undefined ? next >= plan.requests : performance.now() - began >= plan.forMs)

  function caller(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(Number(port), hostname).setNoDelay(true)
    let received = Buffer.alloc(0)
    let posted = 0

    function post(): void {
      if (isOver()) {
        socket.end()
        resolve()
        return
      }
      const n = String(next++)
      const body = plan.body.replaceAll('{n}', n)
      posted = performance.now()
      socket.write(`${headOf(n)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    }

    socket.on('connect', post).on('error', reject)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const length = lengthOfAnswer(received)
      if (length === 0) return
      const took = performance.now() - posted
      times.push(took)
      if (received.toString('latin1', 9, 10) !== '2') failures += 1
      received = received.subarray(length)
      if (plan.everyMs === undefined) post()
      else setTimeout(post, plan.everyMs - took)
    })
    return promise
  }

  await Promise.all(Array.from({ length: plan.connections }, caller))
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { perSecond: times.length / seconds, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), failures }
}

const [plan] = process.argv.slice(2)
if (import.meta.main && plan !== undefined)
  process.stdout.write(JSON.stringify(await run(JSON.parse(plan) as LoadPlan)))
