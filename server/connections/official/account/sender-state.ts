import type { ProviderError } from '../../../contract/errors.ts'
import { ACCOUNT_STANDINGS, type AccountReason, type AccountStanding } from '../../../contract/official-senders.ts'
import { DAY, HOUR } from '../../../lib/clock.ts'
import type { StateReport } from '../../../senders/ports.ts'
import type {
  AccountState,
  MessagingLimit,
  NumberFacts,
  OfficialFacts,
  OfficialNews,
  SenderRow,
} from '../../../store/index.ts'
import { refusalEffects } from '../graph/errors.ts'
import type { AccountUpdate } from '../inbox/updates.ts'
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
  const isSame = sender.state === next.state && sender.reason === next.reason && sender.until === (next.until ?? null)
  const isNews = !isSame || Object.keys(more).length > 0
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

/**
 * Meta took a message of this sender, and then could not deliver it. What was found long ago says
 * nothing of today. Never rejects.
 */
export async function noteUndelivered(
  context: AccountContext,
  senderId: number,
  error: ProviderError,
  at: number,
): Promise<void> {
  const { store, clock } = context
  const sender = store.senders.get(senderId)
  if (sender !== undefined && clock.now() - at < HOUR) await attempt(context, refused(context, sender, error))
}

async function refused(context: AccountContext, sender: SenderRow, error: ProviderError): Promise<boolean> {
  if (sender.kind !== 'official') return false
  const now = context.clock.now()
  const { setup } = refusalEffects(error, now)
  const before = (await context.store.officialFacts.get(sender.id)).account ?? goodStanding(0)
  const account = afterRefusal(before, error, now)
  const isLocked = !maySend(account) && maySend(accountAt(before, now))
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
  if (current !== null && !maySend(current))
    return { state: 'restricted', reason: current.reason, until: current.until }
  return { state: 'connected', reason: null }
}

export const goodStanding = (since: number): AccountState => ({
  standing: 'good',
  reason: null,
  detail: null,
  since,
  from: null,
  until: null,
})

/** Template messages are the business's own to begin; others are of calls and the like. */
const STOPPING_RESTRICTION = 'RESTRICTED_BIZ_INITIATED_MESSAGING'
const FOUND_IN_SENDS: readonly (AccountReason | null)[] = [
  'account_locked',
  'account_unpaid',
  'account_reported',
  'category_violation',
  'name_unapproved',
]
/** Meta names no end of what it says by refusing; the wait doubles up to this. */
const LONGEST_HOLD = 6 * HOUR
/** Meta gives a warning no end; after this it is old news. */
const WARNING_LASTS = 7 * DAY

/** True if template messages can leave, by Meta's reports. */
export const maySend = ({ standing }: AccountState): boolean => standing === 'good' || standing === 'warned'

/** The state at a time: what had an end is over after it. */
export function accountAt(state: AccountState, now: number): AccountState {
  return state.until !== null && state.until <= now ? goodStanding(state.until) : state
}

/**
 * The state after Meta's news. Callbacks come repeated and in any order: older news change nothing.
 */
export function afterAccountUpdate(state: AccountState, update: AccountUpdate, now: number): AccountState {
  const at = update.occurredAt ?? now
  if (at < state.since) return state
  const current = accountAt(state, at)
  const released = releasedBy(update)
  if (released !== null) return released.includes(current.standing) ? goodStanding(at) : current
  const next = stateFrom(update, at)
  return next === null || isWorse(current, next) ? current : next
}

/** The state after Meta refused a send. */
export function afterRefusal(state: AccountState, error: ProviderError, now: number): AccountState {
  const { account: reason } = refusalEffects(error, now)
  const current = accountAt(state, now)
  if (reason === null || !maySend(current)) return current
  return {
    ...goodStanding(now),
    standing: 'restricted',
    reason,
    detail: String(error.code),
    until: now + holdAfter(state, reason, now),
  }
}

/** One hour; twice as long as the last one where that has just ended in vain. */
function holdAfter({ reason: last, since, until }: AccountState, reason: AccountReason, now: number): number {
  if (last !== reason || until === null || now - until > HOUR) return HOUR
  return Math.min(LONGEST_HOLD, 2 * (until - since))
}

/**
 * The state after Meta took a template message: whatever kept the account from sending is over, but
 * for what Meta may find later.
 */
export function afterAcceptance(state: AccountState, now: number): AccountState {
  return maySend(state) || FOUND_IN_SENDS.includes(state.reason) ? state : goodStanding(now)
}

/** The standings that this news puts an end to; `null` when it ends none. */
function releasedBy({ event, ban, violation }: AccountUpdate): readonly AccountStanding[] | null {
  // Of limits for wrong categories of templates Meta reports the end as a violation too.
  if (/_(UNBAN|RECOVERY)$/.test(violation ?? '')) return ['warned']
  if (event === 'ACCOUNT_RECONNECTED') return ['offboarded']
  if (event === 'DISABLED_UPDATE' && ban?.state === 'REINSTATE') return ['warned', 'restricted', 'disabled']
  return null
}

function stateFrom(update: AccountUpdate, at: number): AccountState | null {
  const state = (standing: AccountStanding, reason: AccountReason, more: Partial<AccountState> = {}): AccountState => ({
    ...goodStanding(at),
    standing,
    reason,
    ...more,
  })
  switch (update.event) {
    case 'ACCOUNT_VIOLATION':
      return violation(update, state, at)
    case 'ACCOUNT_RESTRICTION':
      // A warning of Meta's, where it restricts nothing yet.
      if (update.restrictions.length === 0 && update.violation !== null) return violation(update, state, at)
      return restriction(update, state)
    case 'DISABLED_UPDATE':
      if (update.ban?.state === 'SCHEDULE_FOR_DISABLE') {
        return state('warned', 'account_disable_scheduled', { from: update.ban.at })
      }
      return state('disabled', 'account_disabled', { detail: update.ban?.state ?? null })
    case 'ACCOUNT_OFFBOARDED':
      return state('offboarded', 'account_offboarded')
    case 'ACCOUNT_DELETED':
      return state('deleted', 'account_deleted')
    default:
      return null
  }
}

type MakeState = (standing: AccountStanding, reason: AccountReason, more: Partial<AccountState>) => AccountState

const violation = ({ violation: detail }: AccountUpdate, state: MakeState, at: number): AccountState =>
  state('warned', 'account_violation', { detail, until: at + WARNING_LASTS })

function restriction({ restrictions }: AccountUpdate, state: MakeState): AccountState {
  const serious = restrictions.filter(({ type }) => type === STOPPING_RESTRICTION)
  // A restriction that Meta does not name may be any.
  const stops = serious.length > 0 || restrictions.length === 0
  const counted = stops ? serious : restrictions
  const detail = counted.length === 0 ? null : counted.map(({ type }) => type).join(', ')
  const ends = counted.map(({ until }) => until)
  const until = ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map(Number))
  return stops
    ? state('restricted', 'account_restricted', { detail, until })
    : state('warned', 'account_limited', { detail, until })
}

const isWorse = (a: AccountState, b: AccountState): boolean =>
  ACCOUNT_STANDINGS.indexOf(a.standing) > ACCOUNT_STANDINGS.indexOf(b.standing)

/** True for news that customers see a new name; Meta asks to register the number again after it. */
export const isNameApproval = ({ kind, code }: OfficialNews): boolean => kind === 'name' && code === 'APPROVED'

/**
 * The facts of a number after Meta named its limit; another one than before is remembered. Pure.
 */
export function withLimit(
  { limitChange }: OfficialFacts,
  { before, after, at }: { before: MessagingLimit | null; after: NumberFacts; at: number },
): { number: NumberFacts; limitChange: OfficialFacts['limitChange'] } {
  const { limit: to } = after
  const isChange = before !== null && to !== null && before !== to
  return { number: after, limitChange: isChange ? { at, from: before, to } : limitChange }
}
