import { type Concern, type ConcernCode, createConcern } from '../../contract/concerns.ts'
import type { FailureCode } from '../../contract/failures.ts'
import { isoTime } from '../../lib/clock.ts'
import { startOfDay } from '../../lib/local-time.ts'
import { isFailing, isWorthAWord, latelyOf, MANY_FAILURES } from '../thresholds.ts'
import type { ConcernFacts, FailureCount, OutcomeCount } from './facts.ts'

const REFUSED_AT_META: readonly FailureCode[] = ['provider_auth_failed', 'provider_rejected']
/** Meta may accept a message before it finds that the account must not send. */
const STOPPED_AT_META: readonly FailureCode[] = [...REFUSED_AT_META, 'delivery_failed']
const WAITED_TOO_LONG: readonly FailureCode[] = ['expired']

/** Failures that a sender's concern explains. They raise no concern of their own. */
const EXPLAINS: Partial<Record<ConcernCode, readonly FailureCode[]>> = {
  banned: WAITED_TOO_LONG,
  locked: WAITED_TOO_LONG,
  temporarily_banned: WAITED_TOO_LONG,
  removed_by_whatsapp: WAITED_TOO_LONG,
  restricted: WAITED_TOO_LONG,
  logged_out: WAITED_TOO_LONG,
  session_unreadable: WAITED_TOO_LONG,
  replaced: WAITED_TOO_LONG,
  unlinked: WAITED_TOO_LONG,
  protocol_outdated: WAITED_TOO_LONG,
  offline: WAITED_TOO_LONG,
  offline_alone: WAITED_TOO_LONG,
  token_refused: REFUSED_AT_META,
  missing_permissions: REFUSED_AT_META,
  wrong_ids: REFUSED_AT_META,
  not_registered: REFUSED_AT_META,
  account_deleted: REFUSED_AT_META,
  account_offboarded: REFUSED_AT_META,
  account_disabled: REFUSED_AT_META,
  account_locked: STOPPED_AT_META,
  account_unpaid: STOPPED_AT_META,
  account_reported: STOPPED_AT_META,
  category_violation: STOPPED_AT_META,
  name_unapproved: STOPPED_AT_META,
  account_restricted: REFUSED_AT_META,
  number_blocked: REFUSED_AT_META,
  template_paused: ['template_not_sendable'],
  reach_out_lock: ['account_restricted'],
  new_chats_capped: ['account_restricted'],
}

/** Adds to each concern the failures of this day that it explains. */
export function withFailures(concerns: Concern[], { senders, outcomes, now }: ConcernFacts): Concern[] {
  const idOf = new Map(senders.map(({ code, id }) => [code, id]))
  return concerns.map((each) => {
    const explained = EXPLAINS[each.code]
    const id = idOf.get(each.sender_code ?? '')
    if (explained === undefined || id === undefined) return each
    const its = outcomes.filter(({ at, senderId, reason }) => {
      return at >= startOfDay(now) && senderId === id && reason !== null && explained.includes(reason)
    })
    return { ...each, failed: total(its, 'failed') }
  })
}

/** Returns the outcomes without the failures that other concerns explain. */
function unexplained({ outcomes, senders }: ConcernFacts, others: readonly Concern[]): OutcomeCount[] {
  const idOf = new Map(senders.map(({ code, id }) => [code, id]))
  const explained = new Set(
    others.flatMap(({ code, sender_code }) =>
      (EXPLAINS[code] ?? []).map((reason) => `${idOf.get(sender_code ?? '')} ${reason}`),
    ),
  )
  return outcomes.filter(
    // `no_final_status` ends a message that was sent thirty days ago: not a failure of today.
    ({ senderId, reason }) => reason !== 'no_final_status' && !explained.has(`${senderId} ${reason}`),
  )
}

/** Counts the failures of this day that no other concern explains, and the ended messages. */
export function failuresOfDay(facts: ConcernFacts, others: readonly Concern[]): FailureCount {
  return countOf(unexplained(facts, others).filter(({ at }) => at >= startOfDay(facts.now)))
}

function countOf(outcomes: readonly OutcomeCount[]): FailureCount {
  const failed = total(outcomes, 'failed')
  return { failed, ended: failed + total(outcomes, 'sent') }
}

/**
 * Returns the concern about failures that no other concern explains: of this day, or of the last
 * hour if the day as a whole is good. Failures that the owner has seen raise no alarm, but count on
 * for the milder concern.
 */
export function failureConcerns(facts: ConcernFacts, others: readonly Concern[]): Concern[] {
  const { now, failuresSeen: seen = { at: 0, failed: 0, ended: 0 } } = facts
  const midnight = startOfDay(now)
  const left = unexplained(facts, others)
  const ofDay = left.filter(({ at }) => at >= midnight)
  const day = countOf(ofDay)
  const lately = latelyOf(now)
  // Trouble is not over at midnight, so the rest of an hour that began before it counts on.
  const ofNight = seen.at >= lately ? [] : left.filter(({ at }) => at >= lately && at < midnight)
  const of = (code: ConcernCode, since: number, its: OutcomeCount[], count: FailureCount) => {
    const page = `/messages?status=failed&failed_from=${isoTime(since)}`
    return [createConcern(code, { failed: count.failed, count: count.ended, reasons: reasonsOf(its), since, page })]
  }
  for (const span of ['day', 'hour'] as const) {
    const since = span === 'day' ? midnight : lately
    const its = left.filter(({ at }) => at >= since)
    const { failed, ended } = countOf(its)
    const before = span === 'day' ? 0 : countOf(ofNight).failed
    const unseen = Math.min(failed, before + day.failed - seen.failed)
    const isNews =
      span === 'day' ? isFailing(unseen, ended - seen.ended) : isFailing(unseen, ended) || unseen >= MANY_FAILURES
    if (isNews) return of('messages_failing', since, its, { failed, ended })
  }
  return isWorthAWord(day.failed, day.ended) ? of('some_failed', midnight, ofDay, day) : []
}

const total = (outcomes: readonly OutcomeCount[], kind: OutcomeCount['kind']): number =>
  outcomes.reduce((sum, each) => sum + (each.kind === kind ? each.count : 0), 0)

/** Counts failures by reason, the most frequent first. */
function reasonsOf(outcomes: readonly OutcomeCount[]): Concern['reasons'] {
  const counts = new Map<FailureCode, number>()
  for (const { reason, count } of outcomes) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count)
}
