/** Limits on writing to strangers: a temporary lock, and a cap on new chats per cycle. */
export interface Reach {
  lock: { endsAt: number; type: string } | undefined
  cap: { total: number; used: number; cycleStartsAt: number; cycleEndsAt: number; warnAt: [number, number] } | undefined
  /** Locks the account for `ms` at this number of strangers. */
  lockAfter: { strangers: number; ms: number; type: string } | undefined
  /** Number of strangers that the account has written to, even if the message was refused. */
  strangers: number
}

export const createReach = (): Reach => ({ lock: undefined, cap: undefined, lockAfter: undefined, strangers: 0 })

export type CappingStatus = 'NONE' | 'FIRST_WARNING' | 'SECOND_WARNING' | 'CAPPED'

/** Returns the lock unless it has ended. */
export function lockAt(reach: Reach, now: number): Reach['lock'] {
  return reach.lock !== undefined && reach.lock.endsAt > now ? reach.lock : undefined
}

/** Returns the cap; starts a new cycle if the last one has ended. */
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
 * Returns the lock as the query's answer and the notification contain it. Without a lock some
 * members are missing.
 */
export function lockPayload(reach: Reach, now: number): Record<string, unknown> {
  const lock = lockAt(reach, now)
  if (lock === undefined) return { is_active: false }
  return { is_active: true, time_enforcement_ends: seconds(lock.endsAt), enforcement_type: lock.type }
}

/** Returns the cap. WhatsApp mixes strings and numbers; without a cap the total is −1. */
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

/** Counts a new chat. Returns which limits changed, so that the account can be notified. */
export function countNewChat(reach: Reach, now: number): { lock: boolean; cap: boolean } {
  const cap = capAt(reach, now)
  const before = cap && statusOf(cap)
  if (cap !== undefined) cap.used += 1
  return { lock: countStranger(reach, now), cap: cap !== undefined && statusOf(cap) !== before }
}

/** Counts a stranger. Returns true if that locks the account. */
export function countStranger(reach: Reach, now: number): boolean {
  reach.strangers += 1
  const { lockAfter } = reach
  if (lockAfter === undefined || reach.strangers < lockAfter.strangers || lockAt(reach, now) !== undefined) return false
  reach.lock = { endsAt: now + lockAfter.ms, type: lockAfter.type }
  reach.strangers = 0
  return true
}
