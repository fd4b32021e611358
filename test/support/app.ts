import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
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

// As long as the server waits for what is on its way when it closes.
const FINISH_WITHIN = 10_000

// Whatever a test forgets must not reach WhatsApp or Meta.
const NOBODY = { KURIR_GRAPH_URL: 'http://127.0.0.1:9', KURIR_WHATSAPP_URL: 'ws://127.0.0.1:9' }

export interface StartOptions {
  /** An existing data folder; otherwise a new one that is removed afterwards. */
  home?: string
  /** Further `KURIR_…` values. */
  env?: Record<string, string>
  overrides?: Omit<Overrides, 'clock' | 'logger'>
  clock?: TestClock
  /** `file`: for all tests of the file. */
  lives?: Lives
}

export interface Init {
  method?: string
  headers?: Record<string, string>
  /** Sent as it is if it is text or bytes, otherwise as JSON. */
  body?: unknown
}

export interface Answer<D> {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The JSON of the answer; an empty object where there is none. */
  body: { success: boolean; message: string; data: D; error: ErrorAnswer['error']; next_cursor: string | null }
}

type Row = Record<string, unknown>
export type KeyOptions = Partial<Omit<CreateKeyRequest, 'sender_code'>> & { sender?: string }

export type TestApp = Awaited<ReturnType<typeof startApp>>

const sockets = (): string[] =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap' || kind === 'TCPSocketWrap')

// What a test had open before its first program, such as the servers that the program calls.
let socketsBefore = 0
let running = 0

/** After the last program: sockets say a few turns late that they are closed. */
async function noMoreSockets(): Promise<void> {
  for (let turn = 0; turn < 1000 && sockets().length > socketsBefore; turn += 1) await setImmediate()
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
 * The real program on free ports of 127.0.0.1 and a folder of its own; closed, and looked at for
 * leaks, after the test.
 */
export async function startApp(options: StartOptions = {}) {
  const home = options.home ?? (await newHome())
  const logLines: string[] = []
  const timers = trackTimers(options.clock ?? systemClock)
  if (running === 0) socketsBefore = sockets().length
  const disk = createDisk(home)
  // A connection for each request: one that waits may be given up by both ends at the same time
  // when this process was busy, which is a fault of no program.
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

  /** On a clock that stands still nothing on its way would ever end. */
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
    // A body that is destroyed emits an error as well.
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
    /** The running program; another one after `restart`. */
    get app(): App {
      return app
    },
    get url(): string {
      return app.apiUrl()
    },
    home,
    disk,
    /** Everything that was logged, down to `trace`. */
    logs: (): string => logLines.join(''),
    /** Without any authentication but what `init` holds. */
    fetch,
    /**
     * The same for an answer without an end, or of which only the status counts: read or destroy
     * its `body`.
     */
    connect,
    /** As the owner: `Authorization: Bearer <owner token>`. */
    owner,
    /** With an API key: GET without a body, POST with one. */
    call: <D = Row>(key: string, path: string, body?: unknown, init: Init = {}) =>
      as<D>(key, path, body === undefined ? init : { ...init, body }),
    /** Makes an API key; `sender` alone makes a device key. Returns its secret. */
    async key({ sender, ...fields }: KeyOptions = {}): Promise<string> {
      const kind = sender === undefined ? 'global' : 'device'
      const body = { kind, name: 'till', ...(sender === undefined ? {} : { sender_code: sender }), ...fields }
      const answer = await owner<{ key: string }>('/api/keys', { body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.key
    },
    /** Makes a sender. Returns its code. */
    async sender(kind: 'linked' | 'sandbox' = 'linked', fields: Row = {}): Promise<string> {
      const answer = await owner<{ sender_code: string }>('/api/senders', { body: { kind, name: 'Shop', ...fields } })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.sender_code
    },
    message: messageOf,
    /** Resolves when the message has one of the statuses. */
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
     * Closes the program and starts it again on the same folder; `between` runs while it is closed.
     */
    async restart(between?: () => void | Promise<void>): Promise<void> {
      await stop()
      await between?.()
      await start()
    },
    close,
  }
}
