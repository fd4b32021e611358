import type { AuthenticationCreds, WASocket, WAVersion } from 'baileys'
import type { ConnectionControls } from '../../../senders/ports.ts'
import { askToForget, isAlive } from '../library/questions.ts'
import { ownUsers } from '../library/stanzas.ts'
import { type Closing, decideAfter, NO_ANSWER } from './closing.ts'
import { type DialHooks, dial, type SessionContext } from './dial.ts'
import { createIdentity } from './identities.ts'
import { beginLinkAttempt, type LinkAttempt } from './link-attempt.ts'
import { createAlarm, createReconnect } from './reconnect.ts'
import {
  attemptAt,
  isRestart,
  type LastRun,
  next,
  reportOf,
  type SessionEvent,
  stateAfterRestart,
} from './session-state.ts'
import type { Connection } from './socket.ts'

export interface SessionChange extends LastRun {
  /** Present when the connection opens. */
  phone?: string
  accountName?: string | null
}

interface SessionHooks {
  initial: LastRun
  /** Returns the current time or, shortly after a start, when Kurir was last open. */
  endTime(): number
  /** True if another program of ours may connect with this number. */
  mayBeReplaced: boolean
  onState(change: SessionChange): void
  /** Called when a code is shown, replaced or withdrawn. */
  onLinking(): void
  /**
   * Called when a phone has vouched for a new identity. Resolves when the identity is on disk.
   * `migrated`: true if WhatsApp says that the account addresses people by LID; undefined: WhatsApp
   * does not say. `former`: the identity that is replaced.
   */
  onLinked(
    creds: AuthenticationCreds,
    more: { migrated: boolean | undefined; former: AuthenticationCreds | undefined },
  ): Promise<void>
  /** Called when the connection is open: messages may leave. */
  onUp(sock: WASocket): void
  /** Called at the end of a connection: no more acknowledgements come. */
  onDown(): void
}

/**
 * Keeps the connection of one sender: linked once, then up for as long as WhatsApp allows. `next`
 * decides every change of state.
 */
export function createSession(context: SessionContext, hooks: SessionHooks) {
  const { account, clock, logger, versions } = context
  const reconnect = createReconnect(context.random)
  const identity = createIdentity(context)
  const alarm = createAlarm(clock, (now) => apply({ type: 'due', now }))
  let state = stateAfterRestart(hooks.initial)
  let connection: Connection | undefined
  let version = versions.current()
  /**
   * True until a new identity has logged in. Until then, connections use the version that the
   * identity was linked with.
   */
  let isNew = false
  let attempt: LinkAttempt | undefined
  let stopped = false
  let replacedAt: number | null = null
  /** The owner asked for a connection before it was known whether there is an identity. */
  let wantedEarly = false

  function arm(): void {
    alarm.set(stopped || identity.creds() === undefined ? null : attemptAt(state))
  }

  function hangUp(): void {
    const leaving = connection
    connection = undefined
    leaving?.close()
    if (state.is === 'open') hooks.onDown()
  }

  /** @param taken an existing connection to use in place of a new one */
  function apply(event: SessionEvent, taken?: Connection): void {
    const following = next(state, event)
    if (stopped || following === state) return
    hangUp()
    state = following
    if (following.is === 'ended' && following.forget) identity.forget()
    if (following.is === 'connecting') connection = taken ?? connect()
    arm()
    hooks.onState(reportOf(following))
  }

  function connect(): Connection | undefined {
    const creds = identity.creds()
    if (creds === undefined) return undefined
    if (!isNew) version = versions.current()
    return dial(context, { creds, version }, hooksOf(creds, version))
  }

  /** Returns hooks that ignore a connection after its identity was given up. */
  function hooksOf(own: AuthenticationCreds, used: WAVersion): DialHooks {
    const isHeld = (): boolean => identity.creds() === own
    return {
      onOpen: () => isHeld() && opened(own, used),
      onCredentials: () => isHeld() && identity.save(own),
      onEnd: (closing) => isHeld() && closed(closing, used),
    }
  }

  function opened(own: AuthenticationCreds, used: WAVersion): void {
    if (connection === undefined || stopped) return
    identity.saveGood(own)
    isNew = false
    versions.loggedIn(used)
    reconnect.opened(clock.now())
    state = next(state, { type: 'opened' })
    arm()
    hooks.onUp(connection.sock)
    hooks.onState({ ...reportOf(state), phone: ownUsers(own).pn ?? '', accountName: own.me?.name ?? null })
  }

  function closed(closing: Closing, used: WAVersion): void {
    const now = clock.now()
    const decision = decideAfter(closing, {
      now,
      endTime: hooks.endTime(),
      limitedAt: account.facts().limitedAt ?? undefined,
      ...(hooks.mayBeReplaced ? { replacedAt } : {}),
    })
    if ('reason' in decision && decision.reason === 'connected_elsewhere') replacedAt = now
    const backOffMs = isRestart(state, decision) ? 0 : reconnect.waitAfterEnd(now)
    apply({ type: 'closed', decision, backOffMs, now })
    if (decision.next !== 'other-version') return
    isNew = false
    void versions.outdated(used).then((isThereAnother) => {
      if (isThereAnother === undefined) apply({ type: 'version_unknown', now: clock.now() })
      if (isThereAnother) apply({ type: 'version_found' })
    })
  }

  function renew(): void {
    if (state.is === 'open') closed(NO_ANSWER, version)
  }

  /** Pings the open connection, which may be dead, and replaces it if no answer comes. */
  function check(): void {
    const here = connection
    if (here === undefined) return
    void isAlive(here.sock).then((alive) => {
      if (!alive && connection === here) renew()
    })
  }

  /**
   * Checks an open connection, or connects again without the back-off: the PC woke up or the owner
   * asks, so earlier failures say nothing about the present.
   */
  function again(event: SessionEvent): void {
    if (state.is === 'open') check()
    else {
      reconnect.forget()
      if (identity.creds() !== undefined) apply(event)
    }
  }

  /**
   * Reads the stored identity at the start of the program, and connects.
   * @throws StorageError if the identity cannot be read at present
   */
  async function start(): Promise<void> {
    // If a phone was linked before this read, the stored identity is outdated.
    if (identity.isChanged()) return
    const found = await identity.read()
    if (identity.isChanged() || stopped) return
    apply({ type: 'started', identity: found, now: clock.now() })
    if (wantedEarly) controls.resume()
    arm()
  }

  const controls: ConnectionControls = {
    linking: () => attempt?.linking() ?? null,
    async link(asked) {
      attempt?.end()
      attempt = beginLinkAttempt(context, asked, {
        onShown: hooks.onLinking,
        onLinked({ connection: line, creds: own, version: used, migrated }) {
          attempt = undefined
          const former = state.is === 'ended' ? undefined : identity.creds()
          version = used
          isNew = true
          identity.take(own, () => hooks.onLinked(own, { migrated, former }))
          apply({ type: 'linked' }, line)
          hooks.onLinking()
          return hooksOf(own, used)
        },
        onGivenUp() {
          attempt = undefined
          hooks.onLinking()
          if (state.is !== 'ended' || state.state !== 'unlinked') return
          state = { ...state, reason: 'qr_expired' }
          hooks.onState(reportOf(state))
        },
      })
      hooks.onLinking()
    },
    answerPasskey: async (assertion) => (await attempt?.answerPasskey(assertion)) ?? false,
    confirmPasskey: async () => (await attempt?.confirmPasskey()) ?? false,
    // Forgets the identity at once. If WhatsApp can be reached, it takes this PC off the phone's
    // list.
    async unlink() {
      if (attempt !== undefined) {
        attempt.end()
        attempt = undefined
        hooks.onLinking()
      }
      const leaving = state.is === 'open' ? connection : undefined
      if (leaving !== undefined) connection = undefined
      apply({ type: 'unlinked' })
      if (leaving === undefined) return
      const asked = askToForget(leaving.sock).catch((err: unknown) =>
        logger.warn({ err }, 'WhatsApp could not be asked to forget this PC'),
      )
      await Promise.race([asked, leaving.closed])
      leaving.close()
    },
    resume() {
      wantedEarly = true
      again({ type: 'wanted' })
    },
    wake: () => again({ type: 'online', now: clock.now() }),
    // Hangs up before the PC sleeps, so that WhatsApp need not detect a dead connection.
    suspend: () => apply({ type: 'slept' }),
    async stop() {
      attempt?.end()
      alarm.set(null)
      hangUp()
      stopped = true
      await identity.stored()
    },
  }

  return {
    start,
    controls,
    live: (): WASocket | undefined => (state.is === 'open' ? connection?.sock : undefined),
    /** Version of the last connection. */
    version: (): WAVersion => version,
    /** Ends a connection that does not answer; the next one follows soon. */
    renew,
    /** Call when WhatsApp has acknowledged a message on the open connection. */
    proven: reconnect.proven,
  }
}
