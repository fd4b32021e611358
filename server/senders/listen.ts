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
  async preference(preference) {
    await follow(context, preference, 'provider')
  },
})

const follow: typeof optIn = (context, preference, source) =>
  (preference.wants ? optIn : optOut)(context, preference, source)

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
  const { senderId, id, text, occurredAt: at } = message
  const { replies } = context.messaging.store
  const asked = keywordIn(text, context.keywords())
  if (asked === null) return
  // An old STOP that is repeated must not undo a START that came after it.
  if (id !== null && (await replies.heardAt(senderId, 'obeyed', id)) !== null) return
  for (const recipient of await recipientsOf(context, message))
    await follow(context, { senderId, recipient, wants: asked === 'in', at }, 'keyword')
  if (id !== null) await replies.hear(senderId, 'obeyed', id, at)
}

/**
 * Names what messages to its author are sent to: a number, or an ID of Meta's, and then the number
 * too to which the message went that it answers.
 */
async function recipientsOf(
  { messaging }: ListenContext,
  { senderId, from, fromUserId, replyTo }: ReceivedMessage,
): Promise<Iterable<string>> {
  if (from !== null) return [from]
  if (fromUserId === null) return []
  const ours =
    replyTo === null ? undefined : await messaging.store.messages.find({ providerMessageId: replyTo, senderId })
  return new Set([fromUserId, ours?.recipient ?? fromUserId])
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
