import type { Failure } from '../contract/failures.ts'
import type { Pricing, Status } from '../contract/messages.ts'
import type { Bus } from '../lib/bus.ts'
import type { Also, Change, Changed, Decide, Message, MessageRef, MessageStore, Urgency } from '../store/index.ts'
import { afterMember, placeOf } from './groups.ts'
import { isNewStatus } from './status.ts'

/** A status that WhatsApp or Meta reported; `at` is the time by their clock. */
export interface Report {
  status: Status
  at: number
  error?: Failure | null
  pricing?: Pricing
  recipientUserId?: string
  /** Addresses of the group member whose receipt this is. */
  member?: readonly string[]
  /** Meta's id of the message, where the report names our id as well. */
  providerMessageId?: string
}

export interface ReportOptions {
  /** Default: `soon`. */
  urgency?: Urgency
  /** Changes to write in the same transaction. */
  also?: readonly Also[]
  /** Writes `also` even if the report itself changes nothing. */
  alsoAnyway?: boolean
}

export interface Recorder {
  /**
   * Writes a change of a message, then announces it on the bus. Every change goes through here.
   * Resolves with undefined if `decide` wanted no change or there is no such message.
   */
  change(ref: MessageRef, decide: Decide, urgency?: Urgency): Promise<Changed | undefined>
  /** Applies a report by the table of transitions; repeated and late reports change nothing. */
  report(ref: MessageRef, report: Report, options?: ReportOptions): Promise<Changed | undefined>
}

export function createRecorder(messages: MessageStore, bus: Bus): Recorder {
  async function change(ref: MessageRef, decide: Decide, urgency?: Urgency): Promise<Changed | undefined> {
    const changed = await messages.change(ref, decide, urgency)
    if (changed === undefined) return undefined
    const { seq, status, channel, laneId, providerMessageId, nextAt, occurredAt, dueAt } = changed.after
    const isNewStatus = status !== changed.before.status
    const sinceDue = occurredAt - dueAt
    bus.emit('message', { seq, status, channel, laneId, providerMessageId, isNewStatus, sinceDue })
    if (laneId !== changed.before.laneId && nextAt !== null) bus.emit('lane', { senderId: laneId })
    for (const endpointId of changed.endpoints) bus.emit('deliveries', { endpointId })
    return changed
  }

  async function reportOfMember(ref: MessageRef, { status, at }: Report, addresses: readonly string[]) {
    const message = await messages.find(ref)
    const members = message?.receipts == null ? undefined : await messages.members(message.seq)
    if (message === undefined || members === undefined) return undefined
    const place = placeOf(members, addresses)
    return change(message, (current) => afterMember(current, place, status, at), 'soon')
  }

  return {
    change,
    report: (ref, report, { urgency = 'soon', also = [], alsoAnyway = false } = {}) => {
      if (report.member !== undefined) return reportOfMember(ref, report, report.member)
      return change(
        ref,
        (message) => {
          const reported = changeOf(message, report)
          return reported === null && !alsoAnyway ? null : { at: report.at, ...reported, also }
        },
        urgency,
      )
    },
  }
}

/** Returns the change that follows from a report; null: none. Pure. */
function changeOf(message: Message, report: Report): Change | null {
  const { status, at, error = null } = report
  // A group message takes receipts only by member: a member's device can report a receipt in the
  // form that a message to one person gets.
  if (message.receipts !== null && (status === 'delivered' || status === 'read')) return null
  const news = newsOf(message, report)
  if (isNewStatus(message, status)) {
    const outcome = status === 'failed' ? 'refused' : 'acknowledged'
    return { status, at, nextAt: null, error, attemptEnds: { outcome, reason: null }, ...news }
  }
  return Object.keys(news).length > 0 ? { at, ...news } : null
}

/** Returns the facts of a report other than its status; late reports may bring some too. */
function newsOf(message: Message, { pricing, recipientUserId, providerMessageId }: Report): Partial<Change> {
  return {
    ...(pricing === undefined || message.pricing !== null ? {} : { pricing }),
    ...(recipientUserId === undefined || message.recipientUserId !== null ? {} : { recipientUserId }),
    ...(providerMessageId === undefined || message.providerMessageId !== null ? {} : { providerMessageId }),
  }
}
