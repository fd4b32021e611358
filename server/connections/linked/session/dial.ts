import type { AuthenticationCreds, WAVersion } from 'baileys'
import { SECOND } from '../../../lib/clock.ts'
import type { LinkedContext } from '../account/context.ts'
import type { VersionsInUse } from '../library/versions.ts'
import { type Closing, NO_ANSWER, readClosing } from './closing.ts'
import { type Connection, type LineEvents, type LinkingEvents, openConnection } from './socket.ts'
import type { SocketOptions } from './socket-config.ts'

/**
 * A connection that is silent for so long before it is open will never open, and the library would
 * not notice.
 */
const UNANSWERED_AFTER = 20 * SECOND

/** Shared by all connections of one number. */
export interface SessionContext extends LinkedContext {
  socket: SocketOptions
  versions: VersionsInUse
  random: () => number
  /** Milliseconds; default: 20 s. */
  unansweredAfter: number | undefined
  /**
   * How long each QR code is shown, in milliseconds; default: the first for a minute, the others
   * for 20 s.
   */
  qrTimeout: number | undefined
  events: LineEvents
}

export interface DialHooks {
  onOpen(): void
  /** Called once, and not after `close`. */
  onEnd(closing: Closing): void
  /** Credentials changed; `creds` holds the change already. */
  onCredentials(): void
  /** Hooks for linking a new identity. */
  linking?: LinkingEvents & {
    /** True if the next step is the owner's. */
    isOwnersTurn(): boolean
    byCode: boolean
  }
}

/** Opens a connection, and ends it if it is silent for too long before it is open. */
export function dial(
  context: SessionContext,
  { creds, version }: { creds: AuthenticationCreds; version: WAVersion },
  hooks: DialHooks,
): Connection {
  const { clock } = context
  const { linking } = hooks
  let phase: 'waiting' | 'open' | 'ended' = 'waiting'
  let cancelWatchdog = (): void => {}

  function watch(): void {
    cancelWatchdog()
    cancelWatchdog = clock.after(context.unansweredAfter ?? UNANSWERED_AFTER, () => end(NO_ANSWER))
  }
  function close(): void {
    phase = 'ended'
    cancelWatchdog()
    connection.close()
  }
  function end(closing: Closing): void {
    if (phase === 'ended') return
    close()
    hooks.onEnd(closing)
  }

  const connection = openConnection(
    context.socket,
    { creds, keys: context.auth.keysOf(creds), version, pairingCode: linking?.byCode === true },
    {
      ...context.events,
      onFrame() {
        context.events.onFrame()
        if (phase === 'waiting' && linking?.isOwnersTurn() !== true) watch()
      },
      onCodes(codes) {
        cancelWatchdog()
        if (phase === 'waiting') linking?.onCodes(codes)
      },
      onPairSuccess: (migrated) => linking?.onPairSuccess(migrated),
      onPasskey: (node) => phase === 'waiting' && linking?.onPasskey(node),
      onContinuation: (node) => phase === 'waiting' && linking?.onContinuation(node),
      onCredentials() {
        if (phase === 'ended') return
        hooks.onCredentials()
        // The owner's part is done. WhatsApp must ask for a new connection within the usual time.
        if (phase === 'waiting' && linking !== undefined && !linking.isOwnersTurn()) watch()
      },
      onOpen() {
        phase = 'open'
        cancelWatchdog()
        hooks.onOpen()
      },
      onClose: (error) => end(readClosing(error)),
    },
  )
  watch()
  return { ...connection, close }
}
