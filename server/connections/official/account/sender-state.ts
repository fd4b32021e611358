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

/** Reports the state that follows from the stored facts. @param more findings of a check */
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

/** Changes the stored facts of a sender and reports the state that follows from them. */
export async function changeFacts(
  context: AccountContext,
  senderId: number,
  decide: (before: OfficialFacts) => Partial<OfficialFacts>,
  more?: Partial<StateReport>,
): Promise<void> {
  report(context, senderId, await context.store.officialFacts.change(senderId, decide), more)
}

/** Reports the state that follows from the stored facts, and reports again when the state ends. */
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

/** Notes that Meta accepted a message, so the sender can send again. Never rejects. */
export const noteAccepted = (context: AccountContext, sender: SenderRow): Promise<void> =>
  attempt(context, accepted(context, sender))

/**
 * Notes that Meta refused a message. Resolves with true if the reason is the sender, which then
 * cannot send other messages either. Never rejects.
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

/** Logs errors of `work`, because they must not lose the outcome of the message. */
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
  // An accepted message does not prove the app secret, which only incoming statuses need.
  const isReady = known.setupReason === null || known.setupReason === 'wrong_app_secret'
  // Usually nothing changes, so spare each message the wait for a commit.
  if (isReady && (known.account === null || maySend(known.account))) return report(context, sender.id, known)
  await changeFacts(context, sender.id, (before) => ({
    setupReason: before.setupReason === 'wrong_app_secret' ? before.setupReason : null,
    account: before.account && afterAcceptance(before.account, context.clock.now()),
  }))
}

/**
 * Notes that Meta could not deliver an accepted message. Ignores reports older than an hour, which
 * say nothing about the present. Never rejects.
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
  const { setup, account: reason } = refusalEffects(error, now)
  const accountAfter = ({ account }: OfficialFacts) => afterRefusal(account ?? goodStanding(0), error, now)
  const known = await context.store.officialFacts.get(sender.id)
  const isSender = setup !== null || !maySend(accountAfter(known))
  // Spare a refusal that changes nothing the wait for a commit.
  if (setup !== null || (reason !== null && accountAfter(known) !== known.account))
    await changeFacts(context, sender.id, (before) => ({
      ...(setup === null ? {} : { setupReason: setup }),
      ...(reason === null ? {} : { account: accountAfter(before) }),
    }))
  return isSender
}

/** Returns the state of a sender. Faults that the owner has to correct come first. */
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

/** Stops template messages, which the business begins. Other restrictions are of calls and such. */
const STOPPING_RESTRICTION = 'RESTRICTED_BIZ_INITIATED_MESSAGING'
const FOUND_IN_SENDS: readonly (AccountReason | null)[] = [
  'account_locked',
  'account_unpaid',
  'account_reported',
  'category_violation',
  'name_unapproved',
]
/** Longest hold after refusals. Holds double up to this, because Meta names no end. */
const LONGEST_HOLD = 6 * HOUR
/** Our choice, because Meta names no end of a warning. */
const WARNING_LASTS = 7 * DAY

/** True if template messages can be sent. */
export const maySend = ({ standing }: AccountState): boolean => standing === 'good' || standing === 'warned'

/** Returns the state at a time: good standing if the given state has ended. */
export function accountAt(state: AccountState, now: number): AccountState {
  return state.until !== null && state.until <= now ? goodStanding(state.until) : state
}

/**
 * Returns the state after Meta's news. Older news change nothing, because callbacks repeat and come
 * in any order.
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

/** Returns the state after Meta refused a send. */
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

/** Returns an hour, or twice the last hold if that ended less than an hour ago. Milliseconds. */
function holdAfter({ reason: last, since, until }: AccountState, reason: AccountReason, now: number): number {
  if (last !== reason || until === null || now - until > HOUR) return HOUR
  return Math.min(LONGEST_HOLD, 2 * (until - since))
}

/**
 * Returns the state after Meta accepted a template message. That ends a restriction, but not one
 * for which Meta may accept a message and fail it later.
 */
export function afterAcceptance(state: AccountState, now: number): AccountState {
  return maySend(state) || FOUND_IN_SENDS.includes(state.reason) ? state : goodStanding(now)
}

/** Returns the standings that this news ends; null if it ends none. */
function releasedBy({ event, ban, violation }: AccountUpdate): readonly AccountStanding[] | null {
  // Meta reports the end of a limit for wrong template categories as a violation too.
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
      // Meta warns and does not restrict anything yet.
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
  // A restriction that Meta does not name may stop everything.
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

/** True for an approved name, after which Meta asks to register the number again. */
export const isNameApproval = ({ kind, code }: OfficialNews): boolean => kind === 'name' && code === 'APPROVED'

/** Returns the number's facts with Meta's limit, and the change if the limit was another. */
export function withLimit(
  { limitChange }: OfficialFacts,
  { before, after, at }: { before: MessagingLimit | null; after: NumberFacts; at: number },
): { number: NumberFacts; limitChange: OfficialFacts['limitChange'] } {
  const { limit: to } = after
  const isChange = before !== null && to !== null && before !== to
  return { number: after, limitChange: isChange ? { at, from: before, to } : limitChange }
}
