import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import {
  type AuthenticationCreds,
  makeWASocket,
  type SignalKeyStoreWithTransaction,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys'
import { boundServer } from './server-bounds.ts'

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
