import type { AuthenticationCreds, WAVersion } from 'baileys'
import type { LinkRequest } from '../../contract/senders.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { AuthState } from './auth-state.ts'
import { createCodes, type Linking } from './codes.ts'
import { type Connection, openConnection, type SocketEvents, type SocketOptions } from './socket.ts'

/** A connection that says nothing for so long before it is open never will; the library would not notice. */
const UNANSWERED_MS = 20_000
const UNANSWERED = 408

export interface DialDeps {
  auth: AuthState
  socket: SocketOptions
  clock: Clock
  logger: Logger
  unansweredMs?: number
  events: Pick<SocketEvents, 'onHeard' | 'onStanza' | 'onInbound'>
}

export interface DialHooks {
  /** A code for the phone is to be shown. */
  onCode(linking: Linking): void
  /** A phone has vouched for this identity, which is stored now. */
  onLinked(): void
  onOpen(): void
  /** Told once, and not after `close`. */
  onEnd(code: number | undefined, how: { linked: boolean; codeShown: boolean }): void
}

/** A disk that takes nothing now may take the next, whole copy. */
export function keep(logger: Logger, save: () => void): void {
  try {
    save()
  } catch (err) {
    logger.error({ err }, 'the credentials of a sender could not be stored')
  }
}

/** One connection from the first byte to the last: watched until it is open, its identity kept. */
export function dial(
  deps: DialDeps,
  { creds, version, asked }: { creds: AuthenticationCreds; version: WAVersion; asked: LinkRequest | undefined },
  hooks: DialHooks,
): Connection {
  const { auth, clock, logger } = deps
  let linked = asked === undefined
  let phase: 'waiting' | 'open' | 'ended' = 'waiting'
  let cancelWatchdog = (): void => {}

  const codes =
    asked &&
    createCodes({
      asked,
      clock,
      qrTimeoutMs: deps.socket.qrTimeoutMs,
      show: (linking) => phase === 'waiting' && hooks.onCode(linking),
      onFailure(err) {
        logger.warn({ err }, 'WhatsApp gave no pairing code')
        end(UNANSWERED)
      },
    })
  const codeShown = (): boolean => codes?.shown() === true

  function watch(): void {
    cancelWatchdog()
    cancelWatchdog = clock.after(deps.unansweredMs ?? UNANSWERED_MS, () => end(UNANSWERED))
  }
  function close(): void {
    phase = 'ended'
    cancelWatchdog()
    connection.close()
  }
  function end(code: number | undefined): void {
    if (phase === 'ended') return
    close()
    hooks.onEnd(code, { linked, codeShown: codeShown() })
  }

  const connection = openConnection(
    deps.socket,
    { creds, keys: auth.keys, version, pairingCode: asked?.method === 'code' },
    {
      ...deps.events,
      onHeard() {
        deps.events.onHeard()
        // While a code is shown it is the owner whom everybody waits for.
        const ownersTurn = !linked && codeShown()
        if (phase === 'waiting' && !ownersTurn) watch()
      },
      onQr(qr) {
        cancelWatchdog()
        codes?.onQr(connection.sock, qr)
      },
      onCredentials() {
        // Before a phone has vouched for it an identity is worth nothing.
        if (phase === 'ended' || creds.account === undefined) return
        const begins = !linked
        linked = true
        keep(logger, () => (begins ? auth.begin(creds) : auth.save(creds)))
        if (!begins) return
        hooks.onLinked()
        watch()
      },
      onOpen() {
        phase = 'open'
        cancelWatchdog()
        keep(logger, () => auth.saveGood(creds))
        hooks.onOpen()
      },
      onClose: end,
    },
  )
  watch()
  return { ...connection, close }
}
