import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { expect } from 'vitest'
import { type App, createApp } from '../../server/composition/app.ts'
import type { Overrides } from '../../server/composition/core.ts'
import type { CreateKeyRequest } from '../../server/contract/access.ts'
import type { ErrorAnswer } from '../../server/contract/errors.ts'
import type { Status } from '../../server/contract/messages.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { readConfig } from '../../server/settings/config.ts'
import type { Message } from '../../server/store/index.ts'
import { closeAfter, type Lives } from './cleanup.ts'
import type { TestClock } from './clock.ts'
import { createDisk } from './disk.ts'
import { engineEnv } from './engine.ts'
import { newHome } from './new-home.ts'
import { trackTimers } from './timers.ts'

export const OWNER_TOKEN = 'owner-token-of-the-tests-0123456789'
export const SANDBOX = 'SND-SANDBOX'

// Time that the server grants unfinished work when it closes.
const FINISH_WITHIN = 10_000

// Addresses where nobody listens, so that no test reaches WhatsApp or Meta by mistake.
const NOBODY = { KURIR_GRAPH_URL: 'http://127.0.0.1:9', KURIR_WHATSAPP_URL: 'ws://127.0.0.1:9' }

export interface StartOptions {
  /** An existing data folder. Default: a new one, removed after the test. */
  home?: string
  /** Further `KURIR_…` variables. */
  env?: Record<string, string>
  overrides?: Omit<Overrides, 'clock' | 'logger'>
  clock?: TestClock
  /** `file`: the program runs for all tests of the file. */
  lives?: Lives
}

export interface Init {
  method?: string
  headers?: Record<string, string>
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
}

export interface Answer<D> {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The answer's JSON; an empty object if it has none. */
  body: { success: boolean; message: string; data: D; error: ErrorAnswer['error']; next_cursor: string | null }
}

type Row = Record<string, unknown>
export type KeyOptions = Partial<Omit<CreateKeyRequest, 'sender_code'>> & { sender?: string }

export type TestApp = Awaited<ReturnType<typeof startApp>>

const sockets = (): string[] =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap' || kind === 'TCPSocketWrap')

// Sockets that the test opened before its first program, such as servers that the program calls.
let socketsBefore = 0
let running = 0

/**
 * Checks that the last program left no socket open. Closed sockets disappear only after some turns
 * of the event loop; on a busy machine, the other end takes longer.
 */
async function noMoreSockets(): Promise<void> {
  for (let turn = 0; turn < 1000 && sockets().length > socketsBefore; turn += 1)
    await (turn < 100 ? setImmediate() : setTimeout(5))
  expect(sockets().length, 'sockets left open').toBeLessThanOrEqual(socketsBefore)
}

const parse = (text: string): Answer<never>['body'] => {
  try {
    return JSON.parse(text) as Answer<never>['body']
  } catch {
    return {} as Answer<never>['body']
  }
}

/**
 * Starts the real program on free ports of 127.0.0.1 with its own data folder. After the test it is
 * closed and checked for leaks.
 */
export async function startApp(options: StartOptions = {}) {
  const home = options.home ?? (await newHome())
  const logLines: string[] = []
  const timers = trackTimers(options.clock ?? systemClock)
  if (running === 0) socketsBefore = sockets().length
  const disk = createDisk(home)
  // One connection per request. If this process was busy, both ends might close an idle connection
  // at the same time, and the test would fail without a fault of the program.
  const agent = new Agent({ connections: 64, pipelining: 0 })
  let app: App
  let isOpen = true

  async function start(): Promise<void> {
    const env = { KURIR_HOME: home, KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0', KURIR_OWNER_TOKEN: OWNER_TOKEN }
    const { config } = readConfig({ ...env, ...NOBODY, ...(await engineEnv(home)), ...options.env })
    const logger = createLogger('trace', { write: (line) => void logLines.push(line) })
    const { clock, overrides } = options
    app = await createApp(config, {
      soon: 0,
      ...(clock && { sharedTime: async () => clock.trueTime() }),
      opened: disk.opened,
      ...overrides,
      clock: timers.clock,
      logger,
    })
    await app.start()
  }

  /**
   * Moves the clock on while the program closes, because on a stopped clock its unfinished work
   * would never end.
   */
  async function stop(): Promise<void> {
    const stopped = app.close()
    await options.clock?.advance(FINISH_WITHIN)
    await stopped
    expect(timers.waiting(), 'timers left behind').toEqual([])
    expect(existsSync(join(home, 'kurir.db-wal')), 'the database is still open').toBe(false)
  }

  async function close(): Promise<void> {
    if (!isOpen) return
    isOpen = false
    running -= 1
    await agent.destroy()
    try {
      await stop()
      if (running === 0) await noMoreSockets()
    } finally {
      if (options.home === undefined) rmSync(home, { recursive: true, force: true })
    }
  }

  async function connect(path: string, { method, headers, body }: Init): Promise<Dispatcher.ResponseData> {
    const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const answer = await request(app.apiUrl() + path, {
      method: (method ?? (body === undefined ? 'GET' : 'POST')) as 'GET',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
      dispatcher: agent,
    })
    // Destroying a body emits an error event too.
    answer.body.on('error', () => undefined)
    return answer
  }

  async function fetch<D = Row>(path: string, init: Init = {}): Promise<Answer<D>> {
    const answer = await connect(path, init)
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, text, body: parse(text) }
  }

  const as = <D = Row>(bearer: string, path: string, init: Init = {}) =>
    fetch<D>(path, { ...init, headers: { authorization: `Bearer ${bearer}`, ...init.headers } })

  const owner = <D = Row>(path: string, init?: Init) => as<D>(OWNER_TOKEN, path, init)

  const messageOf = async (id: string): Promise<Message> => {
    const message = await app.store.messages.find({ id })
    if (message === undefined) throw new Error(`no message ${id}`)
    return message
  }

  try {
    await start()
  } catch (error) {
    await agent.destroy()
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
    throw error
  }
  running += 1
  closeAfter(options.lives ?? 'test', close)

  return {
    /** The running program; `restart` replaces it. */
    get app(): App {
      return app
    },
    get url(): string {
      return app.apiUrl()
    },
    home,
    disk,
    /** The log of all levels down to `trace`. */
    logs: (): string => logLines.join(''),
    /** Calls with no authentication except that in `init`. */
    fetch,
    /**
     * Like `fetch`, for an endless answer or one of which only the status matters. The caller must
     * read or destroy its `body`.
     */
    connect,
    /** Calls as the owner: `Authorization: Bearer <owner token>`. */
    owner,
    /** Calls with an API key: GET without a body, POST with one. */
    call: <D = Row>(key: string, path: string, body?: unknown, init: Init = {}) =>
      as<D>(key, path, body === undefined ? init : { ...init, body }),
    /** Creates an API key, for a device if `sender` is given, and returns its secret. */
    async key({ sender, ...fields }: KeyOptions = {}): Promise<string> {
      const kind = sender === undefined ? 'global' : 'device'
      const body = { kind, name: 'till', ...(sender === undefined ? {} : { sender_code: sender }), ...fields }
      const answer = await owner<{ key: string }>('/api/keys', { body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.key
    },
    async sender(kind: 'linked' | 'sandbox' = 'linked', fields: Row = {}): Promise<string> {
      const answer = await owner<{ sender_code: string }>('/api/senders', { body: { kind, name: 'Shop', ...fields } })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.sender_code
    },
    message: messageOf,
    async reached(id: string, ...statuses: Status[]): Promise<Message> {
      for (;;) {
        const change = Promise.withResolvers<void>()
        const stopListening = app.bus.on('message', () => change.resolve())
        const message = await messageOf(id)
        if (statuses.includes(message.status)) {
          stopListening()
          return message
        }
        await change.promise
        stopListening()
      }
    },
    /**
     * Closes the program and starts it again on the same folder. `between` runs while it is closed.
     */
    async restart(between?: () => void | Promise<void>): Promise<void> {
      await stop()
      await between?.()
      await start()
    },
    close,
  }
}
