import type { ProviderError } from '../../../contract/errors.ts'
import type { SenderRow } from '../../../store/index.ts'
import type { OfficialContext } from '../graph/context.ts'
import { refusalEffects } from '../graph/refusals.ts'
import type { OfficialSenders } from './sender.ts'

/**
 * Effects of a send on its sender and recipient. A failure here must not lose the outcome of the
 * message.
 */
export interface SendEffects {
  onAccepted(sender: SenderRow): Promise<void>
  /** Resolves with whether the reason is the sender: it can send nothing else either. */
  onRefused(sender: SenderRow, recipient: string, error: ProviderError): Promise<boolean>
}

export function createSendEffects(
  { customers, clock, logger }: OfficialContext,
  senders: OfficialSenders,
): SendEffects {
  async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      logger.error({ err: error }, 'what a template send says about its sender could not be written')
      return undefined
    }
  }
  return {
    onAccepted: (sender) => attempt(senders.accepted(sender)),
    async onRefused(sender, recipient, error) {
      if (refusalEffects(error, clock.now()).optedOut) {
        await attempt(customers.preference({ senderId: sender.id, recipient, wants: false, at: clock.now() }))
      }
      return (await attempt(senders.refused(sender, error))) ?? false
    },
  }
}
