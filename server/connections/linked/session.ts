import { type AuthenticationCreds, jidDecode, type WASocket } from 'baileys'
import type { LinkRequest, SenderState } from '../../contract/senders.ts'
import { backoff } from '../../lib/backoff.ts'
import { SessionUnreadable } from './auth-state.ts'
import { verdictOf } from './closing.ts'
import { type Linking, noCode } from './codes.ts'
import { type DialDeps, dial, keep } from './dial.ts'
import { askToForget, isAlive } from './questions.ts'
import { type Connection, VERSIONS } from './socket.ts'

const LINKING_MS = 5 * 60_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000
/** A connection that held for so long was a good one. */
const GOOD_MS = 60_000
const LONGEST_LINKING_WAIT_MS = 20_000
const MOST_RESTARTS = 3
/** States that say why there is no session. */
const ENDED: ReadonlySet<SenderState> = new Set(['unlinked', 'logged_out', 'restricted'])

export interface SessionView {
  state: SenderState
  reason: string | null
  linking: Linking | null
}

export interface SessionChange extends SessionView {
  /** Told when the connection opens. */
  phone?: string
  accountName?: string | null
}

export interface SessionDeps extends DialDeps {
  /** What is known from the last run. */
  initial: { state: SenderState; reason: string | null }
  random: () => number
  onState(change: SessionChange): void
  /** Messages may leave now. */
  onUp(phone: string): void
  /** Whatever is not acknowledged yet will not be. */
  onDown(): void
}

export type Session = ReturnType<typeof createSession>

/** The connection of one sender: linked once, then kept up for as long as WhatsApp allows. */
export function createSession(deps: SessionDeps) {
  const { auth, clock, logger } = deps
  let view: SessionView = { ...deps.initial, linking: null }
  let connection: Connection | undefined
  let openSince: number | undefined
  let tries = 0
  let restarts = 0
  let version = 0
  let cancelRetry = (): void => {}
  let cancelDeadline = (): void => {}

  function report(state: SenderState, reason: string | null, more: Partial<SessionChange> = {}): void {
    const linking = more.linking ?? null
    const isNews = view.state !== state || view.reason !== reason || view.linking !== linking
    view = { state, reason, linking }
    if (isNews) deps.onState({ ...view, ...more })
  }

  function hangUp(): void {
    cancelRetry()
    const leaving = connection
    connection = undefined
    leaving?.close()
    if (openSince === undefined) return
    if (clock.now() - openSince >= GOOD_MS) tries = 0
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
      if (verdict.state === 'logged_out') keep(logger, auth.wipe)
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
    cancelRetry = clock.after(backoff(tries, FIRST_WAIT_MS, LONGEST_WAIT_MS, deps.random), () => connect(creds))
  }

  /** The codes of a connection are used up, or it broke: the owner may still be on the way to the phone. */
  function nextRound(code: number | undefined, asked: LinkRequest, codeShown: boolean): void {
    const verdict = verdictOf(code)
    if (verdict.next === 'stop' && verdict.state === 'restricted') {
      stopLinking(verdict.state, verdict.reason)
      return
    }
    if (verdict.next === 'other-version') version = (version + 1) % VERSIONS.length
    tries = codeShown ? 0 : tries + 1
    report('linking', codeShown || !('reason' in verdict) ? null : verdict.reason, { linking: noCode(asked) })
    const wait = codeShown ? 0 : backoff(tries, FIRST_WAIT_MS, LONGEST_LINKING_WAIT_MS, deps.random)
    cancelRetry = clock.after(wait, () => connect(auth.fresh(), asked))
  }

  function stopLinking(state: SenderState, reason: string): void {
    hangUp()
    cancelDeadline()
    // An older link is still good when the owner did not go through with a new one.
    if (!resumeStored()) report(state, reason)
  }

  /** Returns whether there was anything to go on with. */
  function resumeStored(): boolean {
    try {
      const creds = auth.load()
      if (creds === undefined) return false
      report('connecting', null)
      connect(creds)
    } catch (err) {
      if (!(err instanceof SessionUnreadable)) throw err
      logger.error({ err }, err.message)
      report('logged_out', 'session_unreadable')
    }
    return true
  }

  function comeBack(): void {
    hangUp()
    tries = 0
    version = 0
    resumeStored()
  }

  /** Ends a connection that does not answer; the next one follows soon. */
  function renew(): void {
    const creds = connection?.sock.authState.creds
    if (creds === undefined || openSince === undefined) return
    hangUp()
    afterClose(408, creds)
  }

  return {
    view: (): SessionView => view,
    live: (): WASocket | undefined => (openSince === undefined ? undefined : connection?.sock),
    renew,
    /** At the start of the program. One that was replaced waits for its owner, who has it elsewhere. */
    start(): void {
      if (view.state === 'replaced' || resumeStored()) return
      // The last run ended in the middle of linking, or its session is gone.
      if (!ENDED.has(view.state)) report('unlinked', 'session_missing')
    },
    link(asked: LinkRequest): void {
      hangUp()
      cancelDeadline()
      tries = 0
      version = 0
      report('linking', null, { linking: noCode(asked) })
      cancelDeadline = clock.after(LINKING_MS, () => stopLinking('unlinked', 'qr_expired'))
      connect(auth.fresh(), asked)
    },
    /** By the owner: the phone forgets this PC, if it can be told, and this PC forgets the phone. */
    async unlink(): Promise<void> {
      const leaving = openSince === undefined ? undefined : connection
      connection = undefined
      hangUp()
      cancelDeadline()
      if (leaving !== undefined) {
        const told = askToForget(leaving.sock).catch((err: unknown) =>
          logger.warn({ err }, 'WhatsApp could not be told'),
        )
        await Promise.race([told, leaving.closed])
        leaving.close()
      }
      auth.wipe()
      report('unlinked', 'unlinked_by_owner')
    },
    /** After the PC slept, or because the owner wants this sender back. */
    resume(): void {
      const here = connection
      if (view.state === 'linking') return
      if (openSince === undefined || here === undefined) comeBack()
      else
        void isAlive(here.sock).then((alive) => {
          if (!alive && connection === here) renew()
        })
    },
    /** Before the PC sleeps: WhatsApp is not left to find out by itself. */
    suspend(): void {
      if (connection === undefined || view.state === 'linking') return
      hangUp()
      report('offline', 'asleep')
    },
    stop(): void {
      cancelDeadline()
      hangUp()
    },
  }
}
