import { z } from 'zod'
import { providerError } from '../../../contract/errors.ts'
import { pricing } from '../../../contract/messages.ts'
import { mayBecome } from '../../../messages/status.ts'
import type { Message, Urgency } from '../../../store/index.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { deliveryFailure } from '../graph/errors.ts'
import { refusalEffects } from '../graph/refusals.ts'
import { REPORTED, type StatusUpdate } from './updates.ts'

/** A status that comes before the id of its message is known, as it is kept. */
const earlyUpdate = z.object({
  providerMessageId: z.string(),
  status: z.enum(REPORTED),
  occurredAt: z.number().nullable(),
  pricing: pricing.nullable(),
  recipientUserId: z.string().nullish(),
  errors: z.array(providerError),
})
type EarlyUpdate = z.infer<typeof earlyUpdate>

/** Statuses of template messages: each finds its message, or is kept until that is known. */
export function createStatuses({ store, record, customers, clock }: OfficialContext) {
  const { inbox, messages } = store

  async function report(
    message: Message,
    { update, receivedAt }: { update: EarlyUpdate; receivedAt: number },
    urgency: Urgency = 'soon',
  ): Promise<void> {
    const { seq, laneId, recipient } = message
    const { status, providerMessageId, recipientUserId, pricing, errors } = update
    const at = update.occurredAt ?? receivedAt
    const [cause] = status === 'failed' ? errors : []
    const { optedOut = false, marketingHold: until = null } = cause ? refusalEffects(cause, clock.now()) : {}
    // First: after it the status would look like a repeat, and a disk that is full in between would
    // lose this.
    if (optedOut && mayBecome(message.status, status)) {
      await customers.preference({ senderId: laneId, recipient, wants: false, at })
    }
    const error = status === 'failed' ? deliveryFailure(errors) : null
    await record.report(
      { seq },
      {
        status,
        at,
        error,
        providerMessageId,
        ...(pricing && { pricing }),
        ...(recipientUserId && { recipientUserId }),
      },
      { also: until === null ? [] : [{ kind: 'marketing_hold', until }], urgency },
    )
  }

  /**
   * Finds a message by Meta's id; until Meta's answer brings that, by ours, which Meta gives back.
   */
  async function find(senderId: number, update: StatusUpdate): Promise<Message | undefined> {
    const { providerMessageId, callbackData } = update
    const known = await messages.find({ providerMessageId, senderId })
    if (known !== undefined || callbackData === null) return known
    const ours = await messages.find({ id: callbackData })
    const fits = ours?.laneId === senderId && ours.channel === 'template' && ours.providerMessageId === null
    return fits ? ours : undefined
  }

  async function apply(
    update: StatusUpdate,
    signers: readonly OfficialAccount[],
    receivedAt: number,
    urgency: Urgency,
  ): Promise<void> {
    const { providerMessageId, status } = update
    const accounts = signers.filter((account) => account.phoneNumberId === update.phoneNumberId)
    for (const { senderId } of accounts) {
      const message = await find(senderId, update)
      if (message !== undefined) return report(message, { update, receivedAt }, urgency)
    }
    for (const { senderId } of accounts) {
      const early = { senderId, providerMessageId, status, update: earlyUpdate.parse(update), receivedAt }
      const kept = await inbox.keepEarly(early)
      const message = await messages.find({ providerMessageId, senderId })
      if (message === undefined) continue
      // On PostgreSQL its id may have become known while the status was kept.
      return kept ? settleEarly(senderId, providerMessageId) : report(message, { update, receivedAt }, urgency)
    }
  }

  async function settleEarly(senderId: number, providerMessageId: string): Promise<void> {
    const kept = await inbox.early(senderId, providerMessageId)
    const message = kept.length === 0 ? undefined : await messages.find({ providerMessageId, senderId })
    if (message === undefined) return
    const early = kept.map(({ update, receivedAt }) => ({ update: earlyUpdate.parse(update), receivedAt }))
    early.sort((a, b) => REPORTED.indexOf(a.update.status) - REPORTED.indexOf(b.update.status))
    for (const each of early) await report(message, each)
    await inbox.dropEarly({ senderId, providerMessageId })
  }

  /**
   * Applies early statuses whose message is known by now: the program ended before, or the disk
   * took nothing.
   */
  async function settleRipe(): Promise<void> {
    for (const { senderId, providerMessageId } of await inbox.ripe()) await settleEarly(senderId, providerMessageId)
  }

  return { apply, settleEarly, settleRipe }
}
