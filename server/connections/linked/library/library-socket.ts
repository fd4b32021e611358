import { EventEmitter } from 'node:events'
import { type AuthenticationCreds, makeWASocket, type UserFacingSocketConfig, type WASocket } from 'baileys'
import { keepLateSteps } from './late-steps.ts'
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
