/**
 * Bounds that keep an account from writing to strangers: a lock with an end, and a cap on new chats
 * in a cycle.
 */
export interface Reach {
  lock: { endsAt: number; type: string } | undefined
  cap: { total: number; used: number; cycleStartsAt: number; cycleEndsAt: number; warnAt: [number, number] } | undefined
  /** The server locks the account for so long with the so-manieth stranger. */
  lockAfter: { strangers: number; ms: number; type: string } | undefined
  /** Strangers that this account has written to, whether they got it or not. */
  strangers: number
}

export const createReach = (): Reach => ({ lock: undefined, cap: undefined, lockAfter: undefined, strangers: 0 })

export type CappingStatus = 'NONE' | 'FIRST_WARNING' | 'SECOND_WARNING' | 'CAPPED'

/** An end that has passed is no lock any more. */
export function lockAt(reach: Reach, now: number): Reach['lock'] {
  return reach.lock !== undefined && reach.lock.endsAt > now ? reach.lock : undefined
}

/** A cycle that has passed begins again. */
function capAt(reach: Reach, now: number): Reach['cap'] {
  const { cap } = reach
  if (cap === undefined || cap.cycleEndsAt > now) return cap
  const length = cap.cycleEndsAt - cap.cycleStartsAt
  const cycles = Math.ceil((now + 1 - cap.cycleEndsAt) / length)
  reach.cap = {
    ...cap,
    used: 0,
    cycleStartsAt: cap.cycleStartsAt + cycles * length,
    cycleEndsAt: cap.cycleEndsAt + cycles * length,
  }
  return reach.cap
}

function statusOf({ total, used, warnAt }: NonNullable<Reach['cap']>): CappingStatus {
  if (used >= total) return 'CAPPED'
  if (used >= warnAt[1]) return 'SECOND_WARNING'
  return used >= warnAt[0] ? 'FIRST_WARNING' : 'NONE'
}

export const isCapped = (reach: Reach, now: number): boolean => {
  const cap = capAt(reach, now)
  return cap !== undefined && statusOf(cap) === 'CAPPED'
}

const seconds = (ms: number): string => String(Math.floor(ms / 1000))

/**
 * As the answer to the query and the notification both have it. Without a lock some members are
 * missing.
 */
export function lockPayload(reach: Reach, now: number): Record<string, unknown> {
  const lock = lockAt(reach, now)
  if (lock === undefined) return { is_active: false }
  return { is_active: true, time_enforcement_ends: seconds(lock.endsAt), enforcement_type: lock.type }
}

/** Numbers come as strings or as numbers; without a cap the total is −1. */
export function capPayload(reach: Reach, now: number): Record<string, unknown> {
  const cap = capAt(reach, now)
  const eligibility = { ote_status: 'NOT_ELIGIBLE', mv_status: 'NOT_ELIGIBLE' }
  if (cap === undefined) return { total_quota: '-1', used_quota: 0, capping_status: 'NONE', ...eligibility }
  return {
    total_quota: String(cap.total),
    used_quota: cap.used,
    cycle_start_timestamp: seconds(cap.cycleStartsAt),
    cycle_end_timestamp: Math.floor(cap.cycleEndsAt / 1000),
    server_sent_timestamp: seconds(now),
    capping_status: statusOf(cap),
    ...eligibility,
  }
}

/** A new chat is counted; says what changed, so that the account is notified. */
export function countNewChat(reach: Reach, now: number): { lock: boolean; cap: boolean } {
  const cap = capAt(reach, now)
  const before = cap && statusOf(cap)
  if (cap !== undefined) cap.used += 1
  return { lock: countStranger(reach, now), cap: cap !== undefined && statusOf(cap) !== before }
}

/** A stranger was written to, in vain or not; returns whether that locks the account. */
export function countStranger(reach: Reach, now: number): boolean {
  reach.strangers += 1
  const { lockAfter } = reach
  if (lockAfter === undefined || reach.strangers < lockAfter.strangers || lockAt(reach, now) !== undefined) return false
  reach.lock = { endsAt: now + lockAfter.ms, type: lockAfter.type }
  reach.strangers = 0
  return true
}
