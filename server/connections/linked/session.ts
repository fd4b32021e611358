import { type AuthenticationCreds, jidDecode, type WASocket } from 'baileys'
import type { ConnectionState, LinkRequest } from '../../contract/senders.ts'
import { backoff } from '../../lib/backoff.ts'
import { MINUTE, SECOND } from '../../lib/time.ts'
import type { SenderConnection } from '../../senders/connection.ts'
import { SessionUnreadable } from './auth-state.ts'
import { verdictOf } from './closing.ts'
import { type Linking, noCode } from './codes.ts'
import { type DialDeps, dial, saveOrLog } from './dial.ts'
import { askToForget, isAlive } from './questions.ts'
import { type Connection, VERSIONS } from './socket.ts'

const LINKING_FOR = 5 * MINUTE
const FIRST_WAIT = SECOND
const LONGEST_WAIT = 5 * MINUTE
/** A connection that lasted so long resets the reconnect back-off. */
const STABLE_AFTER = MINUTE
const LONGEST_LINKING_WAIT = 20 * SECOND
const MOST_RESTARTS = 3
/** States that say why there is no session. */
const ENDED: ReadonlySet<ConnectionState> = new Set(['unlinked', 'logged_out', 'restricted'])

export interface SessionView {
  state: ConnectionState
  reason: string | null
  linking: Linking | null
}

export interface SessionChange extends SessionView {
  /** Given when the connection opens. */
  phone?: string
  accountName?: string | null
}

export interface SessionDeps extends DialDeps {
  /** What is known from the last run. */
  initial: { state: ConnectionState; reason: string | null }
  random: () => number
  onState(change: SessionChange): void
  /** Messages may leave now. */
  onUp(phone: string): void
  /** What is not acknowledged yet will not be. */
  onDown(): void
}

/** What the owner and the PC can do with a session. */
export interface SessionControls extends Pick<SenderConnection, 'link' | 'unlink' | 'suspend' | 'resume' | 'stop'> {
  /** At the start of the program. */
  start(): void
}

export interface Session {
  view(): SessionView
  /** The open connection, if there is one. */
  live(): WASocket | undefined
  /** Ends a connection that does not answer; the next one follows soon. */
  renew(): void
  controls: SessionControls
}

/** The connection of one sender: linked once, then kept up for as long as WhatsApp allows. */
export function createSession(deps: SessionDeps): Session {
  const { auth, clock, logger } = deps
  let view: SessionView = { ...deps.initial, linking: null }
  let connection: Connection | undefined
  let openSince: number | undefined
  let tries = 0
  let restarts = 0
  let version = 0
  /** Rises with everything that makes a running read of the stored identity outdated. */
  let epoch = 0
  let cancelRetry = (): void => {}
  let cancelDeadline = (): void => {}

  function report(state: ConnectionState, reason: string | null, more: Partial<SessionChange> = {}): void {
    const linking = more.linking ?? null
    const isNews = view.state !== state || view.reason !== reason || view.linking !== linking
    view = { state, reason, linking }
    if (isNews) deps.onState({ ...view, ...more })
  }

  function hangUp(): void {
    epoch += 1
    cancelRetry()
    const leaving = connection
    connection = undefined
    leaving?.close()
    if (openSince === undefined) return
    if (clock.now() - openSince >= STABLE_AFTER) tries = 0
    openSince = undefined
    deps.onDown()
  }

  /** @param asked how the owner wants to link; undefined for an identity that is linked already */
  function connect(creds: AuthenticationCreds, asked?: LinkRequest): void {
    hangUp()
    connection = dial(
      deps,
      { creds, version: VERSIONS[version] ?? VERSIONS[0], asked },
      {
        onCode: (linking) => report('linking', null, { linking }),
        onLinked() {
          cancelDeadline()
          report('connecting', null)
        },
        onOpen() {
          openSince = clock.now()
          restarts = 0
          const phone = jidDecode(creds.me?.id)?.user ?? ''
          deps.onUp(phone)
          report('connected', null, { phone, accountName: creds.me?.name ?? null })
        },
        onEnd(code, { linked, codeShown }) {
          hangUp()
          if (linked || asked === undefined) afterClose(code, creds)
          else nextRound(code, asked, codeShown)
        },
      },
    )
  }

  function afterClose(code: number | undefined, creds: AuthenticationCreds): void {
    const verdict = verdictOf(code)
    if (verdict.next === 'stop') {
      if (verdict.state === 'logged_out') saveOrLog(logger, auth.wipe())
      report(verdict.state, verdict.reason)
      return
    }
    if (verdict.next === 'other-version') version = (version + 1) % VERSIONS.length
    if (verdict.next === 'restart-now') restarts += 1
    // A server that asks for a restart again and again, or takes no version at all, is not asked back at once.
    const again =
      verdict.next === 'restart-now' ? restarts <= MOST_RESTARTS : verdict.next === 'other-version' && version !== 0
    if (again) {
      report('connecting', null)
      connect(creds)
      return
    }
    tries += 1
    report('offline', 'reason' in verdict ? verdict.reason : 'connection_lost')
    cancelRetry = clock.after(backoff(tries, FIRST_WAIT, LONGEST_WAIT, deps.random), () => connect(creds))
  }

  /** QR codes expired or the socket closed; keep offering new ones. */
  function nextRound(code: number | undefined, asked: LinkRequest, codeShown: boolean): void {
    const verdict = verdictOf(code)
    if (verdict.next === 'stop' && verdict.state === 'restricted') {
      stopLinking(verdict.state, verdict.reason)
      return
    }
    if (verdict.next === 'other-version') version = (version + 1) % VERSIONS.length
    tries = codeShown ? 0 : tries + 1
    report('linking', codeShown || !('reason' in verdict) ? null : verdict.reason, { linking: noCode(asked) })
    const wait = codeShown ? 0 : backoff(tries, FIRST_WAIT, LONGEST_LINKING_WAIT, deps.random)
    cancelRetry = clock.after(wait, () => connect(auth.fresh(), asked))
  }

  function stopLinking(state: ConnectionState, reason: string): void {
    hangUp()
    cancelDeadline()
    // An older link is still good when the owner did not go through with a new one.
    resumeStored(() => report(state, reason))
  }

  /** Connects with the stored identity; `orElse` is called where there is none. */
  function resumeStored(orElse: () => void): void {
    const asked = epoch
    const isOutdated = () => epoch !== asked
    auth.load().then(
      (creds) => {
        if (isOutdated()) return
        if (creds === undefined) return orElse()
        report('connecting', null)
        connect(creds)
      },
      (err: unknown) => {
        if (isOutdated()) return
        logger.error({ err }, 'the stored session of a sender could not be read')
        if (err instanceof SessionUnreadable) report('logged_out', 'session_unreadable')
      },
    )
  }

  function resume(): void {
    const here = connection
    if (view.state === 'linking') return
    if (openSince !== undefined && here !== undefined) {
      void isAlive(here.sock).then((alive) => {
        if (!alive && connection === here) renew()
      })
      return
    }
    hangUp()
    tries = 0
    version = 0
    resumeStored(() => {})
  }

  function renew(): void {
    const creds = connection?.sock.authState.creds
    if (creds === undefined || openSince === undefined) return
    hangUp()
    afterClose(408, creds)
  }

  const controls: SessionControls = {
    start() {
      // One that was replaced waits for its owner, who has it elsewhere.
      if (view.state === 'replaced') return
      resumeStored(() => {
        // The last run ended in the middle of linking, or its session is gone.
        if (!ENDED.has(view.state)) report('unlinked', 'session_missing')
      })
    },
    async link(asked) {
      hangUp()
      cancelDeadline()
      tries = 0
      version = 0
      report('linking', null, { linking: noCode(asked) })
      cancelDeadline = clock.after(LINKING_FOR, () => stopLinking('unlinked', 'qr_expired'))
      connect(auth.fresh(), asked)
    },
    // The phone forgets this PC, if it can be reached, and this PC forgets the phone.
    async unlink() {
      const leaving = openSince === undefined ? undefined : connection
      connection = undefined
      hangUp()
      cancelDeadline()
      if (leaving !== undefined) {
        const asked = askToForget(leaving.sock).catch((err: unknown) =>
          logger.warn({ err }, 'WhatsApp could not be asked to forget this PC'),
        )
        await Promise.race([asked, leaving.closed])
        leaving.close()
      }
      await auth.wipe()
      report('unlinked', 'unlinked_by_owner')
    },
    resume,
    // WhatsApp is not left to find out by itself.
    suspend() {
      if (connection === undefined || view.state === 'linking') return
      hangUp()
      report('offline', 'asleep')
    },
    async stop() {
      cancelDeadline()
      hangUp()
    },
  }

  return {
    view: () => view,
    live: () => (openSince === undefined ? undefined : connection?.sock),
    renew,
    controls,
  }
}
