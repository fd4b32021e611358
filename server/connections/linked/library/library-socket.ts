import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import {
  type AuthenticationCreds,
  makeWASocket,
  type SignalKeyStoreWithTransaction,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import type { WebSocket } from 'ws'
import type { Logger } from '../../../lib/logger.ts'
import { FRAMES_IN_ONE_GO, MOST_FRAME_BYTES, MOST_GREETING_BYTES } from './bounds.ts'

/**
 * Makes a socket of the library. Some of its listeners return promises that nobody waits for. One
 * that rejects would end the whole program, with all its numbers: the line closed between a stanza
 * and its answer, or a frame could not be opened.
 * @param onRejection gets the error instead; the socket is of no use from then on
 */
export function makeSocket(config: UserFacingSocketConfig, onRejection: (error: unknown) => void): WASocket {
  const before = EventEmitter.captureRejections
  // Every emitter that is made meanwhile has it.
  EventEmitter.captureRejections = true
  try {
    const sock = makeWASocket(config)
    sock.ws[EventEmitter.captureRejectionSymbol] = onRejection
    // This one passes `on` to the emitter that it hides, and has no type for it.
    const ev = (sock.ev as unknown as Pick<EventEmitter, 'on'>).on('error', onRejection)
    ev.prependListener('creds.update', (update: Partial<AuthenticationCreds>) => hideNewName(config.auth.creds, update))
    keepLateSteps(sock.authState.keys)
    keepNoMessages(sock)
    boundServer(sock, onRejection)
    return sock
  } finally {
    EventEmitter.captureRejections = before
  }
}

/**
 * Hides new names from the library. For another name it writes a `presence` without a type:
 * customers see the owner online, and the owner's phone stays silent. It finds the same name in
 * both.
 */
function hideNewName(creds: AuthenticationCreds, update: Partial<AuthenticationCreds>): void {
  const me = update.me ?? creds.me
  if (me !== undefined) creds.me = update.me = me
}

/**
 * Keeps what the library writes when its transaction is long over. It begins some steps in one and
 * does not wait for them: their values are lost without an error. That is how it forgets that it
 * has issued a token to a contact, and issues one with each message.
 */
function keepLateSteps(keys: SignalKeyStoreWithTransaction): void {
  const { get, set, transaction } = keys
  const steps = new AsyncLocalStorage<{ isOver: boolean }>()
  const outside = AsyncLocalStorage.snapshot()
  const placed = <T>(work: () => T): T => (steps.getStore()?.isOver === true ? outside(work) : work())

  async function oneStep<T>(work: () => Promise<T>): Promise<T> {
    if (steps.getStore()?.isOver === false) return work()
    const step = { isOver: false }
    try {
      return await steps.run(step, work)
    } finally {
      step.isOver = true
    }
  }

  Object.assign(keys, {
    get: (...args: Parameters<typeof get>) => placed(() => get(...args)),
    set: (...args: Parameters<typeof set>) => placed(() => set(...args)),
    transaction: <T>(work: () => Promise<T>, key: string) => placed(() => transaction(() => oneStep(work), key)),
  })
}

/**
 * The library keeps the last 512 messages for five minutes, those of customers too, to give them
 * out again. Ours are stored, and opened a megabyte of a customer's can take fifty.
 */
function keepNoMessages({ messageRetryManager }: WASocket): void {
  if (messageRetryManager !== null) messageRetryManager.addRecentMessage = () => undefined
}

/**
 * Bounds even WhatsApp's server, or an impostor: no more at a time than a frame has.
 * @param onTooMuch the connection is of no use from then on
 */
function boundServer(sock: WASocket, onTooMuch: (error: Error) => void): void {
  let most = MOST_GREETING_BYTES
  sock.ws.once('frame', () => {
    most = MOST_FRAME_BYTES
  })
  let frames = 0
  takeOver<Buffer>(sock, 'message', (data, theirs) => {
    if (data.length > most)
      return onTooMuch(new Error(`WhatsApp's server sent ${data.length} bytes at a time, more than ${most}`))
    frames += 1
    if (frames % FRAMES_IN_ONE_GO === 0) giveWay(sock)
    return theirs(data)
  })
}

/** Node.js would read everything that has arrived in one go, and nobody else had a turn. */
function giveWay({ ws }: WASocket): void {
  const { socket } = ws as unknown as { socket: WebSocket | null }
  socket?.pause()
  setImmediate(() => socket?.resume())
}

/**
 * Puts a listener in the place of the library's own.
 * @param listener gets `theirs`, which passes the event on to the library
 */
export function takeOver<T>(
  { ws }: WASocket,
  event: string,
  listener: (value: T, theirs: (value: T) => Promise<unknown>) => unknown,
): void {
  const listeners = ws.listeners(event)
  if (listeners.length === 0) throw new Error(`the library does not listen to ${event}`)
  const theirs = (value: T) => Promise.all(listeners.map((each) => each(value)))
  ws.removeAllListeners(event)
  ws.on(event, (value: T) => listener(value, theirs))
}

type LibraryLogger = NonNullable<UserFacingSocketConfig['logger']>

/**
 * Passes on the library's log at debug level and as text only: the objects that it logs hold keys,
 * whole messages and numbers.
 */
export function createLibraryLogger(logger: Logger): LibraryLogger {
  const say = (first: unknown, message?: string): void => {
    const text = message ?? first
    if (typeof text === 'string') logger.debug(`whatsapp library: ${text}`)
  }
  const nothing = (): void => {}
  const quiet: LibraryLogger = {
    // Below this level the library would build long texts for nothing.
    level: 'info',
    child: () => quiet,
    trace: nothing,
    debug: nothing,
    info: say,
    warn: say,
    error: say,
  }
  return quiet
}
