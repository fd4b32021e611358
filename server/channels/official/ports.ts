import type { Failure } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'
import type { Change, Message, MessageRef } from '../../store/rows.ts'
import type { Changed } from '../../store/sqlite/messages.ts'

/** The way of a message, as far as this channel needs it. */
export interface Record {
  change(
    ref: MessageRef,
    decide: (message: Message) => Change | null,
    extra?: (after: Message) => void,
  ): Promise<Changed | undefined>
  report(
    ref: MessageRef,
    report: {
      status: Status
      at: number
      error?: Failure | null
      pricingCategory?: string
      providerMessageId?: string
    },
    extra?: (after: Message) => void,
  ): Promise<Changed | undefined>
}
