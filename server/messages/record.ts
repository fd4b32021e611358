import type { Failure } from '../contract/failures.ts'
import type { Status } from '../contract/messages.ts'
import type { Bus } from '../lib/bus.ts'
import type { Change, Message, MessageRef } from '../store/rows.ts'
import type { Urgency } from '../store/sqlite/group-commit.ts'
import type { Changed, Messages } from '../store/sqlite/messages.ts'
import { mayBecome } from './status.ts'

/** A status that WhatsApp or Meta reported. `at` is their time. */
export interface Report {
  status: Status
  at: number
  error?: Failure | null
  pricingCategory?: string
  /** Learned by a report that names our own id. */
  providerMessageId?: string
}

export interface Recorder {
  /** Every change of a message goes through here: the store writes, then whoever waits is told. */
  change(
    ref: MessageRef,
    decide: (message: Message) => Change | null,
    extra?: (after: Message) => void,
    urgency?: Urgency,
  ): Promise<Changed | undefined>
  /** Applies a report by the table of transitions; repeated and outdated ones change nothing. */
  report(ref: MessageRef, report: Report, extra?: (after: Message) => void): Promise<Changed | undefined>
}

export function createRecorder({ messages, bus }: { messages: Pick<Messages, 'change'>; bus: Bus }): Recorder {
  async function change(...args: Parameters<Recorder['change']>): Promise<Changed | undefined> {
    const changed = await messages.change(...args)
    if (changed === undefined) return undefined
    const { seq, status, channel } = changed.after
    bus.emit('message', { seq, status, channel })
    for (const endpointId of changed.endpoints) bus.emit('deliveries', { endpointId })
    return changed
  }

  return {
    change,
    report: (ref, report, extra) =>
      change(
        ref,
        (message) => {
          const { status, at, error = null } = report
          const learned = news(message, report)
          if (mayBecome(message.status, status)) {
            const outcome = status === 'failed' ? 'refused' : 'acknowledged'
            return { status, at, nextAt: null, error, attemptEnds: { outcome, reason: null }, ...learned }
          }
          return extra !== undefined || Object.keys(learned).length > 0 ? { at, ...learned } : null
        },
        extra,
        // What is written along with a report has a caller who waits for it.
        extra === undefined ? 'soon' : 'now',
      ),
  }
}

/** What a report tells beside its status, also a late one. */
function news(message: Message, { pricingCategory, providerMessageId }: Report): Partial<Change> {
  return {
    ...(pricingCategory === undefined || message.pricingCategory !== null ? {} : { pricingCategory }),
    ...(providerMessageId === undefined || message.providerMessageId !== null ? {} : { providerMessageId }),
  }
}
