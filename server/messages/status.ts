import type { FailureCode, ProviderHint } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { localMonth } from '../lib/local-time.ts'
import type { Also, AttemptRow, Change, Message, SenderRow } from '../store/index.ts'
import { describeFailure } from '../words/errors.ts'
import type { Outcome } from './channel.ts'

/**
 * The one table of transitions, for every channel. Reports come late, twice and out of order: what
 * is not listed is ignored. `sending → queued` happens only when it is certain that nothing left
 * the PC. A message that was given up (`failed`) may still turn out to have arrived.
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
 * True if a report changes the status of a message. That WhatsApp's server has it may be said after
 * it was given up for want of just that. Meta, whose reports come in any order, may still refuse
 * it: then callers would hear twice that it failed. Pure.
 */
export function isNewStatus({ status, channel, error }: Message, reported: Status): boolean {
  const isLateProof = status === 'failed' && error?.code === 'not_acknowledged' && reported === 'sent'
  return mayBecome(status, reported) || (isLateProof && channel === 'standard')
}

/** When a message is tried again, by its attempts (ms); five in about ten minutes. */
export interface RetryPolicy {
  waits: readonly number[]
}
export const RETRY: RetryPolicy = { waits: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE] }

// A first contact is looked at again after this where WhatsApp does not say how long they wait.
const HELD_FOR = HOUR

/**
 * Takes a message that did not leave by its second road out of the count of the month in which it
 * took that road: that of its last status, as far as is known. Pure.
 */
const uncountRoad = ({ laneId, senderId, occurredAt }: Message): Also[] =>
  laneId === senderId ? [] : [{ kind: 'second_road', month: localMonth(occurredAt), by: -1 }]

/** Outcomes of attempts after which it is certain that nothing left. */
export const NOTHING_LEFT: readonly (string | null)[] = ['offline', 'not_sent', 'refused']

/**
 * True if a message may have left through the number that its sender had before: the one of now can
 * neither delete it nor repeat it under the same id. Pure.
 */
export function mayBeOfOtherNumber(attempts: readonly AttemptRow[], sender: SenderRow | undefined): boolean {
  const since = sender?.phoneSince ?? null
  return since !== null && attempts.some(({ at, outcome }) => at < since && !NOTHING_LEFT.includes(outcome))
}

/** The end of a message that still waits; null where it does not. Pure. */
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
  // A message that still waits has not left.
  const also = message.status === 'queued' ? uncountRoad(message) : []
  return { status: 'failed', at: now, nextAt: null, error, also }
}

export type GivenUp = 'expired' | 'sender_deleted' | 'not_acknowledged'

/** A message that is not tried again, without an answer to its last attempt. */
export const givenUp = (message: Message, code: GivenUp, now: number): Change | null =>
  failed(message, message.status === 'sending' ? 'not_acknowledged' : code, now)

/**
 * The one place that turns an outcome into a transition and a time to try again. Null when a
 * receipt settled the message in the meantime. `doubtful`: an earlier attempt may have arrived,
 * which the final message must not deny. Pure.
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
  // A status was quicker than the answer.
  return message.providerMessageId === null ? change : null
}

function afterRefusal(message: Message, outcome: OutcomeOf<'refused'>, now: number, doubtful: boolean): Change | null {
  const attemptEnds = { outcome: 'refused', reason: outcome.providerCode ?? outcome.code } as const
  if (message.laneId !== message.senderId) return ending(attemptEnds, backToFirstRoad(message, now))
  // A number without WhatsApp got no earlier attempt either.
  const mayHaveArrived = doubtful && outcome.code !== 'recipient_not_on_whatsapp'
  return ending(
    attemptEnds,
    mayHaveArrived ? failed(message, 'not_acknowledged', now) : failed(message, outcome.code, now, outcome),
  )
}

/**
 * The attempt does not count. A message that may have left in an earlier one is not called queued
 * again, unless `surely` nothing left.
 */
const returned = ({ attempts }: Message, surely = false): Partial<Change> => ({
  attemptReturned: true,
  ...(attempts <= 1 || surely ? { status: 'queued' } : {}),
})

/** After an attempt without an answer, or one that failed before anything left. */
function afterLoss(
  message: Message,
  outcome: OutcomeOf<'unknown' | 'not_sent'>,
  now: number,
  { retry, doubtful }: { retry: RetryPolicy; doubtful: boolean },
): Change | null {
  const attemptEnds = { outcome: outcome.kind, reason: outcome.reason }
  const wait = retry.waits[message.attempts - 1]
  // With the next connection it goes before all others, so that nothing that came later overtakes
  // it.
  const isFirstLoss = outcome.kind === 'unknown' && outcome.isLost === true && message.attempts === 1
  if (wait !== undefined) return { at: now, nextAt: isFirstLoss ? now : now + wait, attemptEnds }
  if (outcome.kind === 'not_sent' && message.laneId !== message.senderId)
    return ending(attemptEnds, backToFirstRoad(message, now))
  const code = doubtful || outcome.kind === 'unknown' ? 'not_acknowledged' : 'send_failed'
  return ending(attemptEnds, failed(message, code, now))
}

/** A change that ends the attempt too. */
const ending = (attemptEnds: NonNullable<Change['attemptEnds']>, change: Change | null): Change | null =>
  change && { ...change, attemptEnds }

/** A message that did not leave by its second road waits for its own sender again. Pure. */
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

/** The end of a message on its second road whose own sender was deleted meanwhile. Pure. */
export function withoutSender(message: Message, next: Change, doubtful: boolean): Change {
  const mayHaveLeft = doubtful || next.attemptEnds?.outcome === 'unknown'
  const end = failed(message, mayHaveLeft ? 'not_acknowledged' : 'sender_deleted', next.at)
  const { attemptEnds, also } = next
  return { at: next.at, nextAt: null, ...end, ...(attemptEnds && { attemptEnds }), ...(also && { also }) }
}

/** The end of a message whose recipient opted out; null where it is on its way already. Pure. */
export function cancelledByOptOut(message: Message, at: number): Change | null {
  const change = cancelled(message, at)
  return change && { ...change, error: describeFailure('recipient_opted_out') }
}

/**
 * The end of a message that its lane does not try, or try again, because its recipient opted out.
 * Pure.
 * @param doubtful an earlier attempt may have arrived, which the end must not deny
 */
export const endedByOptOut = (message: Message, doubtful: boolean, at: number): Change | null =>
  cancelledByOptOut(message, at) ?? failed(message, doubtful ? 'not_acknowledged' : 'recipient_opted_out', at)
