import { type Dispatcher, Pool } from 'undici'
import { parseRetryAfter } from '../../../lib/backoff.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../../../lib/clock.ts'

/**
 * End of one exchange with the Graph API. Only after `not_sent`, when nothing left this PC, may a
 * send be repeated.
 */
export type Exchange =
  | { kind: 'answered'; status: number; text: string; retryAfter: number | null }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'unknown'; reason: 'timeout' | 'cut' | 'unreadable' }

export interface GraphRequest {
  method: 'GET' | 'POST'
  path: string
  token: string
  body?: string
}

export interface GraphHttpOptions {
  /** Meta's base address. Its path is put before the path of every call. */
  url: string
  /** From the call to the last byte of the answer, including all tries to connect. */
  timeoutMs: number
  /** Most connections at the same time. Further calls wait for a free one. */
  connections?: number
  clock: Clock
}

/** Milliseconds before the second and the third try to connect. */
const RECONNECT_AFTER = [200, 800] as const
const LARGEST_ANSWER = 8 * 1024 * 1024
/** Most informational heads (1xx) before the answer. Meta sends none. */
const MOST_HEADS = 20

/**
 * Deadline of one exchange. An AbortSignal with its listener would cost each send as much time as
 * the rest of this file.
 */
interface Deadline {
  isOver: boolean
  onEnd: (reason: 'timeout', cause: Error) => void
}

const nothing = () => {}

function end(deadline: Deadline): void {
  deadline.isOver = true
  deadline.onEnd('timeout', new Error('no connection in time'))
}

export type GraphHttp = ReturnType<typeof createGraphHttp>

export function createGraphHttp(options: GraphHttpOptions) {
  const { timeoutMs, connections = 64, clock } = options
  const base = new URL(options.url)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, {
    connections,
    // One call at a time on a connection: no call waits behind a slow answer, and we know exactly
    // which calls were sent.
    pipelining: 1,
    allowH2: false,
    // Well below the timeouts of servers, because a call on a connection that the server is closing
    // has an unknown outcome.
    keepAliveTimeout: 10_000,
    connect: { timeout: 10_000 },
  })

  const deadlines = new Set<Deadline>()
  let closing = false

  function attempt(request: GraphRequest, deadline: Deadline): Promise<Exchange> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = []
      let size = 0
      let heads = 0
      let status = 0
      let retryAfter: number | null = null
      let sending: Dispatcher.DispatchController | undefined
      let settled = false

      function settle(exchange: Exchange): void {
        deadline.onEnd = nothing
        settled = true
        resolve(exchange)
      }
      function fail(reason: 'timeout' | 'cut' | 'unreadable', cause: Error): void {
        settle(sending ? { kind: 'unknown', reason } : { kind: 'not_sent', reason: describe(cause) })
        sending?.abort(cause)
      }
      // `fail` itself, because V8 kept a closure around it, and with it the whole exchange, until a
      // full garbage collection.
      deadline.onEnd = fail

      pool.dispatch(
        {
          method: request.method,
          path: prefix + request.path,
          headers: {
            authorization: `Bearer ${request.token}`,
            accept: 'application/json',
            ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          body: request.body ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(controller) {
            // The caller was told that nothing was sent, so nothing may be sent after that.
            if (settled) controller.abort(new Error('too late'))
            else sending = controller
          },
          onResponseStart(_controller, statusCode, headers) {
            heads += 1
            if (heads > MOST_HEADS) return fail('unreadable', new Error('the answer does not begin'))
            status = statusCode
            const wait = parseRetryAfter(headers['retry-after'], clock.now())
            retryAfter = wait === null ? regainSeconds(headers['x-business-use-case-usage']) : Math.ceil(wait / SECOND)
          },
          onResponseData(_controller, chunk) {
            size += chunk.length
            if (size > LARGEST_ANSWER) fail('unreadable', new Error('the answer is too large'))
            else chunks.push(chunk)
          },
          onResponseEnd() {
            settle({ kind: 'answered', status, text: Buffer.concat(chunks).toString(), retryAfter })
          },
          onResponseError(_controller, error) {
            if (!settled) fail('cut', error)
          },
        },
      )
    })
  }

  /** Waits `ms`, or until the deadline if that is earlier. */
  function rest(ms: number, deadline: Deadline): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      deadline.onEnd = () => {
        cancel()
        resolve()
      }
    })
  }

  return {
    async exchange(request: GraphRequest): Promise<Exchange> {
      const deadline: Deadline = { isOver: false, onEnd: nothing }
      deadlines.add(deadline)
      const cancel = clock.after(timeoutMs, () => end(deadline))
      try {
        for (const ms of RECONNECT_AFTER) {
          const result = await attempt(request, deadline)
          if (result.kind !== 'not_sent' || deadline.isOver || closing) return result
          await rest(ms, deadline)
          if (deadline.isOver) return result
        }
        return await attempt(request, deadline)
      } finally {
        cancel()
        deadlines.delete(deadline)
      }
    },
    /** Waits for running exchanges, at most `ms`, then ends them and closes the connections. */
    async close(ms = timeoutMs): Promise<void> {
      closing = true
      let cancel = () => {}
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(ms, resolve)
      })
      await Promise.race([pool.close(), late])
      cancel()
      for (const deadline of deadlines) end(deadline)
      await pool.destroy()
    },
  }
}

function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === '' ? error.message : code
}

/**
 * Returns the seconds until Meta accepts calls again, from its header `X-Business-Use-Case-Usage`.
 * For each business the header lists uses with `estimated_time_to_regain_access` in minutes, 0 if
 * no limit was reached. Null: no limit, or no such header.
 */
function regainSeconds(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  const minutes = [...header.matchAll(/"estimated_time_to_regain_access"\s*:\s*(\d{1,6})/g)].map((match) =>
    Number(match[1]),
  )
  const longest = Math.max(0, ...minutes)
  return longest === 0 ? null : Math.min(DAY, longest * MINUTE) / SECOND
}
