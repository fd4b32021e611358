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
 * Creates a socket of the library. Some of the library's listeners return promises that nobody
 * awaits. Without `captureRejections`, a rejected one would end the whole program and with it every
 * number; this happens when the line closes between a stanza and its answer, or when a frame cannot
 * be decrypted.
 * @param onRejection receives such an error; the socket is unusable from then on
 */
export function makeSocket(config: UserFacingSocketConfig, onRejection: (error: unknown) => void): WASocket {
  const before = EventEmitter.captureRejections
  // Applies to every emitter that is created until it is reset below.
  EventEmitter.captureRejections = true
  try {
    const sock = makeWASocket(config)
    sock.ws[EventEmitter.captureRejectionSymbol] = onRejection
    // `sock.ev` forwards `on` to the emitter that it wraps, but its type does not allow the event
    // `error`.
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
 * Hides changes of the account's name from the library. When the name changes, the library sends a
 * `presence` without a type: customers then see the owner online, and the owner's phone stops
 * notifying. So this puts the same `me` into the update and the credentials, and the library finds
 * no change.
 */
function hideNewName(creds: AuthenticationCreds, update: Partial<AuthenticationCreds>): void {
  const me = update.me ?? creds.me
  if (me !== undefined) creds.me = update.me = me
}

/**
 * Keeps writes that the library makes after their transaction is over. The library starts some
 * steps in a transaction without awaiting them, and their values would be lost without an error. In
 * this way it would forget that it has issued a token to a contact, and issue one with every
 * message.
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
 * Turns off the library's memory of recent messages. It keeps the last 512 messages for five
 * minutes, including those of customers, to send them again on request. Our own messages are in the
 * store, and a customer's message of one megabyte can take fifty in memory once decoded.
 */
function keepNoMessages({ messageRetryManager }: WASocket): void {
  if (messageRetryManager !== null) messageRetryManager.addRecentMessage = () => undefined
}

/**
 * Limits how much the server, WhatsApp's or an impostor's, may send at once: one frame.
 * @param onTooMuch called with the error; the connection is unusable from then on
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

/**
 * Pauses the socket for one turn of the event loop. Otherwise Node.js reads everything that has
 * arrived before anybody else gets a turn.
 */
function giveWay({ ws }: WASocket): void {
  const { socket } = ws as unknown as { socket: WebSocket | null }
  socket?.pause()
  setImmediate(() => socket?.resume())
}

/**
 * Replaces the library's own listeners of an event.
 * @param listener gets `theirs`, which passes the event on to the library's listeners
 * @throws Error if the library does not listen to the event
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
 * Logs the library's messages at debug level, and only their text, because the objects that the
 * library logs hold keys, whole messages and phone numbers.
 */
export function createLibraryLogger(logger: Logger): LibraryLogger {
  const say = (first: unknown, message?: string): void => {
    const text = message ?? first
    if (typeof text === 'string') logger.debug(`whatsapp library: ${text}`)
  }
  const nothing = (): void => {}
  const quiet: LibraryLogger = {
    // At debug and trace the library would build long texts for nothing.
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
