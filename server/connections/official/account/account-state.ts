import { ACCOUNT_STANDINGS, type AccountReason, type AccountStanding } from '../../../contract/official-senders.ts'
import { DAY } from '../../../lib/time.ts'
import type { AccountState, OfficialNews } from '../../../store/index.ts'
import type { AccountUpdate } from '../inbox/updates.ts'

export const goodStanding = (since: number): AccountState => ({
  standing: 'good',
  reason: null,
  detail: null,
  since,
  from: null,
  until: null,
})

/** Restrictions that do not touch template messages: those are the business's own to begin. */
const HARMLESS_RESTRICTIONS = ['RESTRICTED_ADD_PHONE_NUMBER_ACTION', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING']
/** Refusals of a send by which Meta says that the account is locked. */
const LOCKED_CODES = [368, 131031]
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
export function afterRefusal(state: AccountState, metaCode: number, now: number): AccountState {
  if (!LOCKED_CODES.includes(metaCode)) return state
  const next: AccountState = {
    ...goodStanding(now),
    standing: 'restricted',
    reason: 'account_locked',
    detail: String(metaCode),
  }
  const current = accountAt(state, now)
  return maySend(current) ? next : current
}

/** The state after Meta took a template message: whatever kept the account from sending is over. */
export function afterAcceptance(state: AccountState, now: number): AccountState {
  return maySend(state) ? state : goodStanding(now)
}

/** The standings that this news puts an end to; `null` when it ends none. */
function releasedBy({ event, ban }: AccountUpdate): readonly AccountStanding[] | null {
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
      return state('warned', 'account_violation', { detail: update.violation, until: at + WARNING_LASTS })
    case 'ACCOUNT_RESTRICTION':
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

function restriction(
  { restrictions }: AccountUpdate,
  state: (standing: AccountStanding, reason: AccountReason, more: Partial<AccountState>) => AccountState,
): AccountState {
  const serious = restrictions.filter(({ type }) => !HARMLESS_RESTRICTIONS.includes(type))
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
