import type { AuthenticationCreds, WAVersion } from 'baileys'
import {
  LINKING_REASONS,
  type LinkingReason,
  type LinkingView,
  type LinkRequest,
  type PasskeyAssertion,
} from '../../../contract/linking.ts'
import { backoff } from '../../../lib/backoff.ts'
import { isoTime, MINUTE, SECOND } from '../../../lib/clock.ts'
import { refusalOf } from '../library/questions.ts'
import { type Ceremony, createCeremony } from '../passkey/passkey.ts'
import { type Closing, decideAfter, NO_ANSWER } from './closing.ts'
import { createCodes, noCode } from './codes.ts'
import { type DialHooks, dial, type SessionContext } from './dial.ts'
import type { Connection } from './socket.ts'

const LINKING_FOR = 5 * MINUTE
/**
 * Counts from WhatsApp's request for a passkey, because the owner may have to find out what to do.
 */
const PASSKEY_FOR = 10 * MINUTE
const FIRST_WAIT = SECOND
const LONGEST_WAIT = 20 * SECOND

interface LinkAttemptHooks {
  /** Called when there is another code to show, or a reason why there is none. */
  onShown(): void
  /**
   * Called when a phone has vouched for the identity. The attempt is over and gives `connection`
   * away; the returned hooks receive its events. `migrated`: true if WhatsApp says that the account
   * addresses people by LID; undefined: WhatsApp does not say.
   */
  onLinked(linked: {
    connection: Connection
    creds: AuthenticationCreds
    version: WAVersion
    migrated: boolean | undefined
  }): DialHooks
  /** Called when no phone was linked in time. */
  onGivenUp(): void
}

export type LinkAttempt = ReturnType<typeof beginLinkAttempt>

const isLinkingReason = (reason: string): reason is LinkingReason =>
  (LINKING_REASONS as readonly string[]).includes(reason)

/**
 * Begins the owner's attempt to link a phone, over as many connections as it takes. An existing
 * link continues beside it, so an owner who gives up at the code loses nothing.
 */
export function beginLinkAttempt(context: SessionContext, asked: LinkRequest, hooks: LinkAttemptHooks) {
  const { auth, clock, versions, logger } = context
  let linking = noCode(asked)
  let connection: Connection | undefined
  let tries = 0
  let isOver = false
  /** True if more codes would not help, so none are offered. */
  let isStuck = false
  let ceremony: Ceremony | undefined
  let cancelCodes = (): void => {}
  let cancelWait = (): void => {}
  let cancelDeadline = clock.after(LINKING_FOR, giveUp)
  let deadline = clock.now() + LINKING_FOR

  function giveUpAfter(ms: number): void {
    cancelDeadline()
    cancelDeadline = clock.after(ms, giveUp)
    deadline = clock.now() + ms
  }

  function show(shown: LinkingView): void {
    if (isOver) return
    linking = { ...shown, version_unread: !versions.isKnown() }
    hooks.onShown()
  }
  const stuck = (reason: LinkingReason, detail: string | null): void => {
    isStuck = true
    show({ ...noCode(asked), reason, reason_detail: detail })
  }

  function showPasskey({ shown }: Ceremony): void {
    const { options, step, code, reason, detail } = shown()
    show({
      ...noCode(asked),
      reason,
      reason_detail: detail,
      passkey: options && { options, step, until: isoTime(deadline) },
      passkey_code: code,
    })
  }
  function endCeremony(): void {
    ceremony?.end()
    ceremony = undefined
  }

  function end(): void {
    isOver = true
    endCeremony()
    cancelCodes()
    cancelWait()
    cancelDeadline()
    connection?.close()
    connection = undefined
  }
  function giveUp(): void {
    end()
    hooks.onGivenUp()
  }

  async function round(): Promise<void> {
    const version = await versions.forLink()
    if (isOver) return
    const creds = auth.fresh()
    let migrated: boolean | undefined
    let owner: DialHooks | undefined
    const codes = createCodes(asked, clock, context.qrTimeout, {
      show: (shown) => !isStuck && show(shown),
      onRunOut() {
        connection?.close()
        // Nobody has scanned the last code.
        afterRound(NO_ANSWER, true, version)
      },
      onFailure(err) {
        logger.warn({ err }, 'WhatsApp took no pairing code')
        const refusal = refusalOf(err)
        if (refusal !== null) stuck('pairing_code_refused', String(refusal))
      },
    })
    cancelCodes = codes.stop
    connection = dial(
      context,
      { creds, version },
      {
        onOpen: () => owner?.onOpen(),
        onCredentials() {
          // Credentials are not kept before a phone has vouched for them.
          if (owner !== undefined) {
            owner.onCredentials()
            return
          }
          if (creds.account === undefined || connection === undefined || isOver) return
          const linked = { connection, creds, version, migrated }
          connection = undefined
          end()
          owner = hooks.onLinked(linked)
        },
        onEnd(closing) {
          codes.stop()
          if (owner === undefined) afterRound(closing, codes.shown(), version)
          else owner.onEnd(closing)
        },
        linking: {
          byCode: asked.method === 'code',
          isOwnersTurn: () => owner === undefined && codes.shown(),
          onCodes: (refs) => !isStuck && connection && codes.begin(connection.sock, refs),
          onPairSuccess: (found) => {
            migrated = found
          },
          onPasskey(node) {
            if (isOver || owner !== undefined || connection === undefined) return
            codes.stop()
            isStuck = true
            giveUpAfter(PASSKEY_FOR)
            ceremony ??= createCeremony(connection.sock, creds, () => ceremony && showPasskey(ceremony), clock, logger)
            void ceremony.begin(node)
          },
          onContinuation: (node) => ceremony?.continueWith(node),
        },
      },
    )
  }

  /**
   * Offers new codes after the codes ran out or the connection was lost, for as long as that may
   * help.
   */
  function afterRound(closing: Closing, codeShown: boolean, version: WAVersion): void {
    connection = undefined
    if (ceremony !== undefined && !isOver) {
      // A ceremony cannot continue on another connection: the phone must see another code.
      endCeremony()
      isStuck = false
      giveUpAfter(LINKING_FOR)
    }
    if (isStuck || isOver) return
    const decision = decideAfter(closing, { now: clock.now(), endTime: clock.now(), limitedAt: undefined })
    const code = closing.code === undefined ? null : String(closing.code)
    if (decision.next === 'stop' || decision.next === 'wait') stuck('refused_by_whatsapp', code)
    else if (decision.next === 'other-version') afterOutdated(version)
    else {
      // If WhatsApp ends each connection after its code, only the first new one follows at once.
      tries = codeShown && closing === NO_ANSWER ? 0 : tries + 1
      const reason = decision.next === 'back-off' && isLinkingReason(decision.reason) ? decision.reason : null
      show({ ...noCode(asked), reason: codeShown ? null : reason })
      again(codeShown && tries <= 1 ? 0 : backoff(tries, FIRST_WAIT, LONGEST_WAIT, context.random))
    }
  }

  function afterOutdated(version: WAVersion): void {
    void versions.outdated(version).then((isThereAnother) => {
      if (isOver) return
      if (isThereAnother) again(0)
      else stuck('protocol_outdated', null)
    })
  }

  function again(wait: number): void {
    cancelWait = clock.after(wait, begin)
  }
  function begin(): void {
    round().catch((err: unknown) => logger.error({ err }, 'a link attempt could not go on'))
  }

  begin()
  return {
    linking: (): LinkingView => linking,
    /** Passes on the owner's passkey. Resolves with false if WhatsApp asks for none. */
    answerPasskey: async (assertion: PasskeyAssertion): Promise<boolean> =>
      (await ceremony?.answer(assertion)) ?? false,
    /** Confirms that the phone shows the same code. Resolves with false if there is no code. */
    confirmPasskey: async (): Promise<boolean> => (await ceremony?.confirm()) ?? false,
    /** Ends the attempt without calling `onGivenUp`. */
    end,
  }
}
