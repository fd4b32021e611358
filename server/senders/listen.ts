import type { SuppressionSource } from '../contract/suppressions.ts'
import type { CustomersPort, MarketingPreference, ReceivedMessage } from './customers.ts'
import { addOptOut, removeOptOut } from './opt-outs.ts'
import { type Keywords, type ListenContext, passOnReply } from './replies.ts'

/** Sources whose times are WhatsApp's; all others have that of this PC, which may be wrong. */
const SAID_BY_CUSTOMER: ReadonlySet<SuppressionSource> = new Set(['keyword', 'provider'])

/** Notes opt-outs and passes replies on, on both routes. */
export const listenWith = (context: ListenContext): CustomersPort => ({
  async received(message) {
    await obey(context, message)
    await passOnReply(context, message)
  },
  preference: (preference) => follow(context, preference, 'provider'),
})

/**
 * Follows a wish. That of an ID of Meta's counts for the person's number too: the one to which
 * messages to this ID went, or the message that `replyTo` names.
 */
async function follow(
  context: ListenContext,
  preference: MarketingPreference,
  source: 'keyword' | 'provider',
  replyTo: string | null = null,
): Promise<void> {
  const { messages, officialMessages } = context.messaging.store
  const { senderId, recipient, wants } = preference
  const ours = replyTo === null ? undefined : await messages.find({ providerMessageId: replyTo, senderId })
  const number = (await officialMessages.numberOf(senderId, recipient)) ?? ours?.recipient ?? recipient
  for (const each of new Set([recipient, number]))
    await (wants ? optIn : optOut)(context, { ...preference, recipient: each }, source)
}

/** Does not undo what the customer said later: Meta repeats news, and some of it comes late. */
async function optOut(
  { messaging }: ListenContext,
  { senderId, recipient: phone, at }: MarketingPreference,
  source: 'keyword' | 'provider',
): Promise<void> {
  if (((await messaging.store.replies.heardAt(senderId, 'opted_in', phone)) ?? 0) > at) return
  await addOptOut(messaging, { phone, senderId, scope: 'marketing', source, at })
}

/** Undoes neither what the owner entered nor what the customer said later. */
async function optIn(
  { messaging }: ListenContext,
  { senderId, recipient: phone, at }: MarketingPreference,
  source: 'keyword' | 'provider',
): Promise<void> {
  const { replies, suppressions } = messaging.store
  await replies.hear(senderId, 'opted_in', phone, at)
  const entries = await suppressions.list({ phone, senderId, limit: 2 })
  const own = entries.find((entry) => entry.senderId === senderId)
  if (own === undefined || own.source === 'owner' || (SAID_BY_CUSTOMER.has(own.source) && own.at > at)) return
  await removeOptOut(messaging, { phone, senderId }, { source, at })
}

async function obey(context: ListenContext, message: ReceivedMessage): Promise<void> {
  const { senderId, id, from, fromUserId, text, replyTo, occurredAt: at } = message
  const { replies } = context.messaging.store
  const asked = keywordIn(text, context.keywords())
  // Messages are sent to an ID of Meta's as they are to a number.
  const recipient = from ?? fromUserId
  if (recipient === null || asked === null) return
  // An old STOP that is repeated must not undo a START that came after it.
  if (id !== null && (await replies.heardAt(senderId, 'obeyed', id)) !== null) return
  const preference = { senderId, recipient, wants: asked === 'in', at }
  await follow(context, preference, 'keyword', from === null ? replyTo : null)
  if (id !== null) await replies.hear(senderId, 'obeyed', id, at)
}

const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()

/** The wish in a customer's message; null unless the whole message is a keyword. Pure. */
export function keywordIn(text: string | null, keywords: Keywords): 'out' | 'in' | null {
  // No keyword is longer: a long text is not folded.
  if (text === null || text.length > 200) return null
  const said = folded(text)
  if (said === '') return null
  if (keywords.out.some((word) => folded(word) === said)) return 'out'
  return keywords.in.some((word) => folded(word) === said) ? 'in' : null
}
