import { HOUR, MINUTE } from '../../../lib/time.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { OfficialSenders } from './sender.ts'

const CHECK_AFTER = MINUTE

/** When what is known of an official sender is looked at again. */
export function createSenderChecks({ store, background, clock }: OfficialContext, senders: OfficialSenders) {
  /** Shows the state that follows from what is stored, now and when it ends. */
  async function followState(senderId: number): Promise<void> {
    await senders.refresh(senderId)
    const left = ((await senders.endsAt(senderId)) ?? 0) - clock.now()
    if (left > 0 && left < HOUR)
      background.later(`the end of a state of ${senderId}`, left, () => followState(senderId))
  }

  async function checkNow(code: string): Promise<void> {
    const sender = store.senders.byCode(code)
    if (sender !== undefined) await senders.check(sender)
  }

  return {
    followState,
    checkNow,
    /** Meta's news come in bursts; one check answers them all. */
    checkLater: (code: string): void => background.later(`the check of ${code}`, CHECK_AFTER, () => checkNow(code)),
  }
}
