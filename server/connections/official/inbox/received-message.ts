import { z } from 'zod'
import type { ReceivedMessage as PassedOn } from '../../../senders/customers.ts'
import { seconds } from '../graph/callback-members.ts'

/**
 * A customer's message, as it is passed on to endpoints and searched for opt-outs. It lives in
 * memory only: of what customers write nothing is stored.
 */
export interface ReceivedMessage extends Omit<PassedOn, 'senderId' | 'occurredAt'> {
  phoneNumberId: string | null
  /** `null` when Meta gave no time. */
  occurredAt: number | null
}

export const LONGEST_TEXT = 65_536
const LONGEST_ID = 512

const text = z
  .string()
  .transform((value) => value.slice(0, LONGEST_TEXT))
  .nullable()
  .catch(null)
const id = z.string().min(1).max(LONGEST_ID).nullable().catch(null)
const chosen = z.object({ title: text }).nullable().catch(null)
const message = z.object({
  id,
  from: z
    .string()
    .regex(/^\d{1,20}$/)
    .nullable()
    .catch(null),
  from_user_id: id,
  group_id: id,
  type: z
    .string()
    .regex(/^[a-z_]{1,32}$/)
    .catch('unknown'),
  timestamp: seconds,
  context: z.object({ id }).nullable().catch(null),
  text: z.object({ body: text }).nullable().catch(null),
  button: z.object({ text }).nullable().catch(null),
  interactive: z.object({ button_reply: chosen, list_reply: chosen }).nullable().catch(null),
})

/** Notices of WhatsApp in a chat, such as a new number of the customer: nobody wrote them. */
const NOTICES = ['system']

/**
 * @returns null for what is no message of one customer: a notice, a message in a group, one from
 *   nobody
 */
export function readReceivedMessage(phoneNumberId: string | null, entry: unknown): ReceivedMessage | null {
  const parsed = message.safeParse(entry)
  if (!parsed.success) return null
  const { from, from_user_id, group_id, type, timestamp, context, text: written, button, interactive } = parsed.data
  if (group_id !== null || NOTICES.includes(type) || (from === null && from_user_id === null)) return null
  const choice = interactive?.button_reply?.title ?? interactive?.list_reply?.title
  return {
    id: parsed.data.id,
    phoneNumberId,
    from,
    fromUserId: from_user_id,
    type,
    text: (type === 'text' ? written?.body : type === 'button' ? button?.text : choice) ?? null,
    replyTo: context?.id ?? null,
    occurredAt: timestamp,
  }
}
