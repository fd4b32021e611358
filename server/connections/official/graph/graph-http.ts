import { type Dispatcher, Pool } from 'undici'
import { parseRetryAfter } from '../../../lib/backoff.ts'
import { type Clock, DAY, MINUTE, SECOND } from '../../../lib/clock.ts'

/**
 * How one exchange with the Graph API ended. Whether anything left this PC is what decides if a
 * send may be repeated.
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
  /** Meta's base address; a path in it is kept in front of every call. */
  url: string
  /** From the call to the last byte of the answer, tries to connect included. */
  timeoutMs: number
  /** Connections at the same time; what comes on top waits for a free one. */
  connections?: number
  clock: Clock
}

/** Before the second and the third try to connect. */
const RECONNECT_AFTER = [200, 800] as const
const LARGEST_ANSWER = 8 * 1024 * 1024
/** Heads before the one that counts. Meta sends none. */
const MOST_HEADS = 20

/**
 * Deadline of one exchange. An AbortSignal with its listener would cost each send as much as the
 * rest of this file.
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
    // One call a connection at a time: no call waits behind a slow answer, and it is known exactly
    // what has been sent.
    pipelining: 1,
    allowH2: false,
    // Well below what servers keep: a call on a connection that is just being closed has an unknown
    // outcome.
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
      // Not a function around it: V8 kept those, with all that belongs to the exchange, until a
      // full collection.
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
            // The caller's answer says that nothing left, so nothing may leave any more.
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

  /** Waits `ms`, or until the deadline. */
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
    /** Lets what runs come to its end, at most `ms`, then closes the connections. */
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
 * Seconds until Meta takes calls again, of its header `X-Business-Use-Case-Usage`: for each
 * business a list of uses with `estimated_time_to_regain_access` in minutes, 0 where no limit was
 * reached. `null`: the header says nothing.
 */
function regainSeconds(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  const minutes = [...header.matchAll(/"estimated_time_to_regain_access"\s*:\s*(\d{1,6})/g)].map((match) =>
    Number(match[1]),
  )
  const longest = Math.max(0, ...minutes)
  return longest === 0 ? null : Math.min(DAY, longest * MINUTE) / SECOND
}
