import type { AuthenticationCreds, WAVersion } from 'baileys'
import type { LinkRequest } from '../../contract/senders.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { SECOND } from '../../lib/time.ts'
import type { AuthState } from './auth-state.ts'
import { createCodes, type Linking } from './codes.ts'
import { type Connection, openConnection, type SocketEvents, type SocketOptions } from './socket.ts'

/** A connection that says nothing for so long before it is open never will; the library would not notice. */
const UNANSWERED_AFTER = 20 * SECOND
const UNANSWERED = 408

export interface DialDeps {
  auth: AuthState
  socket: SocketOptions
  clock: Clock
  logger: Logger
  unansweredAfter?: number
  events: Pick<SocketEvents, 'onHeard' | 'onStanza' | 'onInbound'>
}

export interface DialHooks {
  /** A code for the phone is to be shown. */
  onCode(linking: Linking): void
  /** A phone has vouched for this identity, and it is being stored. */
  onLinked(): void
  onOpen(): void
  /** Called once, and not after `close`. */
  onEnd(code: number | undefined, how: { linked: boolean; codeShown: boolean }): void
}

/** An error is logged: the next save writes the full credentials. */
export function saveOrLog(logger: Logger, saved: Promise<void>): void {
  saved.catch((err: unknown) => logger.error({ err }, 'the credentials of a sender could not be stored'))
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
      qrTimeout: deps.socket.qrTimeout,
      show: (linking) => phase === 'waiting' && hooks.onCode(linking),
      onFailure(err) {
        logger.warn({ err }, 'WhatsApp gave no pairing code')
        end(UNANSWERED)
      },
    })
  const codeShown = (): boolean => codes?.shown() === true

  function watch(): void {
    cancelWatchdog()
    cancelWatchdog = clock.after(deps.unansweredAfter ?? UNANSWERED_AFTER, () => end(UNANSWERED))
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
        // While a code is shown, the next step is the owner's.
        const ownersTurn = !linked && codeShown()
        if (phase === 'waiting' && !ownersTurn) watch()
      },
      onQr(qr) {
        cancelWatchdog()
        codes?.onQr(connection.sock, qr)
      },
      onCredentials() {
        // Do not persist credentials before pairing succeeds.
        if (phase === 'ended' || creds.account === undefined) return
        const begins = !linked
        linked = true
        saveOrLog(logger, begins ? auth.begin(creds) : auth.save(creds))
        if (!begins) return
        hooks.onLinked()
        watch()
      },
      onOpen() {
        phase = 'open'
        cancelWatchdog()
        saveOrLog(logger, auth.saveGood(creds))
        hooks.onOpen()
      },
      onClose: end,
    },
  )
  watch()
  return { ...connection, close }
}
