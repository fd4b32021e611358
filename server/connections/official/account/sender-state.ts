import type { ProviderError } from '../../../contract/errors.ts'
import { HOUR } from '../../../lib/time.ts'
import type { StateReport } from '../../../senders/connection.ts'
import type { OfficialFacts, SenderRow } from '../../../store/index.ts'
import { refusalEffects } from '../graph/refusals.ts'
import { accountAt, afterAcceptance, afterRefusal, goodStanding, maySend } from './account-state.ts'
import type { AccountContext } from './context.ts'

/** Reports the state that follows from what is stored; `more` is what a check found beside it. */
function report(
  { store, clock, reportState }: AccountContext,
  senderId: number,
  known: OfficialFacts,
  more: Partial<StateReport> = {},
): void {
  const sender = store.senders.get(senderId)
  if (sender === undefined) return
  const next = stateOf(known, clock.now())
  const isNews = sender.state !== next.state || sender.reason !== next.reason || Object.keys(more).length > 0
  if (isNews) reportState(senderId, { ...next, ...more })
}

/** Changes what is known of a sender, and reports the state that follows. */
export async function changeFacts(
  context: AccountContext,
  senderId: number,
  decide: (before: OfficialFacts) => Partial<OfficialFacts>,
  more?: Partial<StateReport>,
): Promise<void> {
  report(context, senderId, await context.store.officialFacts.change(senderId, decide), more)
}

/** Shows the state that follows from what is stored, now and when it ends. */
export async function followState(context: AccountContext, senderId: number): Promise<void> {
  const { store, background, bus, clock } = context
  const known = await store.officialFacts.get(senderId)
  report(context, senderId, known)
  const sender = store.senders.get(senderId)
  if (sender !== undefined) bus.emit('sender', { code: sender.code })
  const left = (known.account?.until ?? 0) - clock.now()
  if (left > 0 && left < HOUR)
    background.later(`the end of a state of ${senderId}`, left, () => followState(context, senderId))
}

/** Meta took a message of this sender: whatever kept it from sending is over. Never rejects. */
export const noteAccepted = (context: AccountContext, sender: SenderRow): Promise<void> =>
  attempt(context, accepted(context, sender))

/**
 * Meta refused a message of this sender. Resolves with whether the reason is the sender, so that it
 * can send nothing else either. Never rejects.
 */
export async function noteRefused(
  context: AccountContext,
  sender: SenderRow,
  recipient: string,
  error: ProviderError,
): Promise<boolean> {
  const { customers, clock } = context
  if (refusalEffects(error, clock.now()).optedOut) {
    const preference = { senderId: sender.id, recipient, wants: false, at: clock.now() }
    await attempt(context, customers.preference(preference))
  }
  return (await attempt(context, refused(context, sender, error))) ?? false
}

/** A failure here must not lose the outcome of the message. */
async function attempt<T>({ logger }: AccountContext, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    logger.error({ err: error }, 'what a template send says about its sender could not be written')
    return undefined
  }
}

async function accepted(context: AccountContext, sender: SenderRow): Promise<void> {
  if (sender.kind !== 'official' || sender.state === 'connected') return
  const known = await context.store.officialFacts.get(sender.id)
  // A message gets out without the app secret; the statuses do not get in.
  const isReady = known.setupReason === null || known.setupReason === 'wrong_app_secret'
  // Most often nothing changes, and each message would wait for a commit of its own.
  if (isReady && (known.account === null || maySend(known.account))) return report(context, sender.id, known)
  await changeFacts(context, sender.id, (before) => ({
    setupReason: before.setupReason === 'wrong_app_secret' ? before.setupReason : null,
    account: before.account && afterAcceptance(before.account, context.clock.now()),
  }))
}

async function refused(context: AccountContext, sender: SenderRow, error: ProviderError): Promise<boolean> {
  if (sender.kind !== 'official') return false
  const now = context.clock.now()
  const { setup } = refusalEffects(error, now)
  const before = await context.store.officialFacts.get(sender.id)
  const account = afterRefusal(before.account ?? goodStanding(0), Number(error.code), now)
  const isLocked = !maySend(account) && (before.account === null || maySend(before.account))
  const isSender = setup !== null || !maySend(account)
  if (setup === null && !isLocked) return isSender
  await changeFacts(context, sender.id, () => ({
    ...(setup === null ? {} : { setupReason: setup }),
    ...(isLocked ? { account } : {}),
  }))
  return isSender
}

/**
 * The state of a sender by what is known of it: what its owner has to correct comes first. Pure.
 */
function stateOf({ setupReason, account }: OfficialFacts, now: number): StateReport {
  if (setupReason !== null) return { state: 'offline', reason: setupReason }
  const current = account && accountAt(account, now)
  if (current !== null && !maySend(current)) return { state: 'restricted', reason: current.reason }
  return { state: 'connected', reason: null }
}
