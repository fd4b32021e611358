import type { FailureCode, ProviderHint } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { localMonth } from '../lib/local-time.ts'
import type { Also, AttemptRow, Change, Message, SenderRow } from '../store/index.ts'
import { describeFailure } from '../words/errors.ts'
import type { Outcome } from './channel.ts'

/**
 * All allowed transitions, for every channel. Reports may come late, twice and out of order, so any
 * transition that is not listed is ignored. `sending → queued` happens only if it is certain that
 * nothing left the PC. A failed message may still turn out to have arrived.
 */
const NEXT: Record<Status, readonly Status[]> = {
  queued: ['sending', 'sent', 'delivered', 'read', 'failed', 'cancelled'],
  sending: ['queued', 'accepted', 'sent', 'delivered', 'read', 'failed'],
  accepted: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  failed: ['delivered', 'read'],
  delivered: ['read'],
  read: [],
  cancelled: [],
}

export const mayBecome = (current: Status, next: Status): boolean => NEXT[current].includes(next)

/**
 * True if a report changes the status of a message. A message that failed as `not_acknowledged` may
 * still become `sent`, but not a template: Meta's reports come in any order, so Meta may refuse it
 * afterwards, and callers would hear twice that it failed. Pure.
 */
export function isNewStatus({ status, channel, error }: Message, reported: Status): boolean {
  const isLateProof = status === 'failed' && error?.code === 'not_acknowledged' && reported === 'sent'
  return mayBecome(status, reported) || (isLateProof && channel === 'standard')
}

/** Waits before each retry, in milliseconds. RETRY makes five attempts in about ten minutes. */
export interface RetryPolicy {
  waits: readonly number[]
}
export const RETRY: RetryPolicy = { waits: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE] }

// Wait of a held first contact if WhatsApp does not say how long.
const HELD_FOR = HOUR

/**
 * Uncounts a message that did not leave by its second road, in the month in which it took the road.
 * The month of its last status is the best guess for that. Pure.
 */
const uncountRoad = ({ laneId, senderId, occurredAt }: Message): Also[] =>
  laneId === senderId ? [] : [{ kind: 'second_road', month: localMonth(occurredAt), by: -1 }]

/** Outcomes that prove that nothing left in an attempt. */
export const NOTHING_LEFT: readonly (string | null)[] = ['offline', 'not_sent', 'refused']

/**
 * True if a message may have left through a number that was linked to its sender earlier. The
 * present number can neither delete it nor repeat it under the same id. Pure.
 */
export function mayBeOfOtherNumber(attempts: readonly AttemptRow[], sender: SenderRow | undefined): boolean {
  const since = sender?.phoneSince ?? null
  return since !== null && attempts.some(({ at, outcome }) => at < since && !NOTHING_LEFT.includes(outcome))
}

/** Returns the change that cancels a waiting message; null: the message does not wait. Pure. */
export const cancelled = (message: Message, at: number): Change | null =>
  mayBecome(message.status, 'cancelled') ? { status: 'cancelled', at, nextAt: null, also: uncountRoad(message) } : null

export function failed(
  message: Message,
  code: FailureCode,
  now: number,
  more: { detail?: string; hint?: string; hintCode?: ProviderHint; providerCode?: string } = {},
): Change | null {
  if (!mayBecome(message.status, 'failed')) return null
  const { detail, hint, hintCode, providerCode } = more
  const error = describeFailure(code, { message: detail, hint, hintCode, providerCode })
  // A queued message has not left, so its second road does not count.
  const also = message.status === 'queued' ? uncountRoad(message) : []
  return { status: 'failed', at: now, nextAt: null, error, also }
}

export type GivenUp = 'expired' | 'sender_deleted' | 'not_acknowledged'

/**
 * Returns the change that ends a message without another attempt; null: its status does not allow
 * that. A message in `sending` has no answer, so it fails as `not_acknowledged`.
 */
export const givenUp = (message: Message, code: GivenUp, now: number): Change | null =>
  failed(message, message.status === 'sending' ? 'not_acknowledged' : code, now)

/**
 * Turns the outcome of an attempt into a transition and the time of a retry; no other function does
 * so. Returns null if a receipt has settled the message already. `doubtful`: an earlier attempt may
 * have arrived, which the final error must not deny. Pure.
 */
export function afterOutcome(
  message: Message,
  outcome: Outcome,
  now: number,
  { retry, doubtful }: { retry: RetryPolicy; doubtful: boolean },
): Change | null {
  if (outcome.kind === 'acknowledged') return afterAcknowledgement(message, now)
  if (outcome.kind === 'accepted') return afterAcceptance(message, outcome.providerMessageId, now)
  if (outcome.kind === 'refused') return afterRefusal(message, outcome, now, doubtful)
  if (message.status !== 'sending') return null
  switch (outcome.kind) {
    case 'in_doubt':
      return { at: now, nextAt: null, attemptEnds: { outcome: 'unknown', reason: outcome.reason } }
    case 'put_off': {
      const attemptEnds = { outcome: 'refused', reason: outcome.reason } as const
      return { status: 'queued', at: now, nextAt: outcome.until, attemptEnds }
    }
    case 'offline': {
      const attemptEnds = { outcome: 'offline', reason: outcome.reason ?? 'no connection' } as const
      return { ...returned(message, message.channel === 'template'), at: now, nextAt: message.dueAt, attemptEnds }
    }
    case 'held': {
      const attemptEnds = { outcome: 'not_sent', reason: outcome.reason } as const
      return { ...returned(message), at: now, nextAt: outcome.until ?? now + HELD_FOR, attemptEnds }
    }
    case 'unknown':
    case 'not_sent':
      return afterLoss(message, outcome, now, { retry, doubtful })
  }
}

type OutcomeOf<Kind> = Extract<Outcome, { kind: Kind }>

const ACKNOWLEDGED = { outcome: 'acknowledged', reason: null } as const

const afterAcknowledgement = (message: Message, now: number): Change | null =>
  mayBecome(message.status, 'sent')
    ? { status: 'sent', at: now, nextAt: null, error: null, attemptEnds: ACKNOWLEDGED }
    : null

function afterAcceptance(message: Message, providerMessageId: string, now: number): Change | null {
  const change = { at: now, providerMessageId, attemptEnds: ACKNOWLEDGED }
  if (mayBecome(message.status, 'accepted')) return { ...change, status: 'accepted', nextAt: null, error: null }
  // A status report came before Meta's answer.
  return message.providerMessageId === null ? change : null
}

function afterRefusal(message: Message, outcome: OutcomeOf<'refused'>, now: number, doubtful: boolean): Change | null {
  const attemptEnds = { outcome: 'refused', reason: outcome.providerCode ?? outcome.code } as const
  if (message.laneId !== message.senderId) return ending(attemptEnds, backToFirstRoad(message, now))
  // An earlier attempt cannot have reached a number without WhatsApp.
  const mayHaveArrived = doubtful && outcome.code !== 'recipient_not_on_whatsapp'
  return ending(
    attemptEnds,
    mayHaveArrived ? failed(message, 'not_acknowledged', now) : failed(message, outcome.code, now, outcome),
  )
}

/**
 * Returns the part of a change that uncounts the attempt. A message that may have left in an
 * earlier attempt does not become `queued` again, unless `surely` says that nothing left.
 */
const returned = ({ attempts }: Message, surely = false): Partial<Change> => ({
  attemptReturned: true,
  ...(attempts <= 1 || surely ? { status: 'queued' } : {}),
})

/** Returns the change after an attempt without an answer, or after one in which nothing left. */
function afterLoss(
  message: Message,
  outcome: OutcomeOf<'unknown' | 'not_sent'>,
  now: number,
  { retry, doubtful }: { retry: RetryPolicy; doubtful: boolean },
): Change | null {
  const attemptEnds = { outcome: outcome.kind, reason: outcome.reason }
  const wait = retry.waits[message.attempts - 1]
  // After the first loss the message is due at once and leaves before all others on the next
  // connection, so that no later message overtakes it.
  const isFirstLoss = outcome.kind === 'unknown' && outcome.isLost === true && message.attempts === 1
  if (wait !== undefined) return { at: now, nextAt: isFirstLoss ? now : now + wait, attemptEnds }
  if (outcome.kind === 'not_sent' && message.laneId !== message.senderId)
    return ending(attemptEnds, backToFirstRoad(message, now))
  const code = doubtful || outcome.kind === 'unknown' ? 'not_acknowledged' : 'send_failed'
  return ending(attemptEnds, failed(message, code, now))
}

/** Returns a change that also ends the attempt. */
const ending = (attemptEnds: NonNullable<Change['attemptEnds']>, change: Change | null): Change | null =>
  change && { ...change, attemptEnds }

/**
 * Returns the change by which a message that did not leave by its second road waits for its own
 * sender again; null: its status does not allow that. Pure.
 */
export function backToFirstRoad(message: Message, now: number): Change | null {
  if (!mayBecome(message.status, 'queued') && message.status !== 'queued') return null
  return {
    status: 'queued',
    at: now,
    nextAt: Math.max(now, message.dueAt),
    road: { channel: 'standard', laneId: message.senderId, template: null, providerMessageId: null },
    also: uncountRoad(message),
  }
}

/** Returns the end of a message on its second road whose own sender is deleted. Pure. */
export function withoutSender(message: Message, next: Change, doubtful: boolean): Change {
  const mayHaveLeft = doubtful || next.attemptEnds?.outcome === 'unknown'
  const end = failed(message, mayHaveLeft ? 'not_acknowledged' : 'sender_deleted', next.at)
  const { attemptEnds, also } = next
  return { at: next.at, nextAt: null, ...end, ...(attemptEnds && { attemptEnds }), ...(also && { also }) }
}

/** Returns the end of a message whose recipient opted out; null: it is on its way. Pure. */
export function cancelledByOptOut(message: Message, at: number): Change | null {
  const change = cancelled(message, at)
  return change && { ...change, error: describeFailure('recipient_opted_out') }
}

/**
 * Returns the end of a message that its lane does not try, or does not retry, because its recipient
 * opted out. Pure.
 * @param doubtful true: an earlier attempt may have arrived, which the error must not deny
 */
export const endedByOptOut = (message: Message, doubtful: boolean, at: number): Change | null =>
  cancelledByOptOut(message, at) ?? failed(message, doubtful ? 'not_acknowledged' : 'recipient_opted_out', at)
