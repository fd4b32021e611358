import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { SuppressionSource } from '../contract/suppressions.ts'
import { REPLY_KEPT_FOR, type receivedEventData } from '../contract/webhooks.ts'
import { isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { MessageContext } from '../messages/context.ts'
import { cancelledByOptOut } from '../messages/status.ts'
import { isReplyWanted, isUnwanted, PLACES, type Suppression } from '../store/index.ts'

export interface ReceivedContent {
  /** WhatsApp's id of the message; null: WhatsApp gave none. */
  id: string | null
  /** `text`, `button`, `image`, …, as WhatsApp or Meta names it. */
  type: string
  /** Text, caption of a file, or chosen button or list row; null for everything else. */
  text: string | null
  /** WhatsApp's id of the message that the customer answers. */
  replyTo: string | null
  /** Milliseconds since 1970, by WhatsApp's clock. */
  occurredAt: number
}

/**
 * A message that a customer wrote to a sender. Kurir passes it on and forgets it: no part of it is
 * logged or stored in readable form.
 */
export interface ReceivedMessage extends ReceivedContent {
  senderId: number
  /** Digits; null: Meta gives only its own user ID. */
  from: string | null
  /** Meta's business-scoped user ID, such as `US.13491208655302741918`; null on linked numbers. */
  fromUserId: string | null
}

/**
 * A person's wish about a sender's marketing messages, from WhatsApp's settings or its refusal
 * (131050).
 */
export interface MarketingPreference {
  senderId: number
  /** Digits, or Meta's user ID if Meta gives no number. */
  recipient: string
  /** Meta's user ID, if Meta gives it beside a number. */
  userId?: string | null | undefined
  wants: boolean
  at: number
}

/** The names of one person, numbers and Meta's IDs, before and after a change. */
interface Names {
  before: readonly string[]
  after: readonly string[]
}

/** Takes news from customers. Each method may be called more than once for the same news. */
export interface CustomersPort {
  /** If the call rejects, Meta sends the message again. */
  received(message: ReceivedMessage): Promise<void>
  preference(preference: MarketingPreference): Promise<void>
  renamed(senderId: number, names: Names): Promise<void>
}

const LONGEST_TEXT = 65_536

/** Words by which customers opt out and opt in. */
interface Keywords {
  out: readonly string[]
  in: readonly string[]
}

interface ListenContext {
  messaging: MessageContext
  keywords: () => Keywords
  vault: Vault
  logger: Logger
}

/** Queues a customer's message for the endpoints that want it. On disk its text is encrypted. */
async function passOnReply({ messaging, vault, logger }: ListenContext, message: ReceivedMessage): Promise<void> {
  const { store, bus, now } = messaging
  const { replies, messages } = store
  const { senderId, id, replyTo } = message
  const senderCode = store.senders.codeOf(senderId)
  if (!isReplyWanted(store.endpoints.list(), senderCode)) return
  const ours = replyTo === null ? undefined : await messages.find({ providerMessageId: replyTo, senderId })
  const data: z.infer<typeof receivedEventData> = {
    sender_code: senderCode,
    from: message.from,
    from_user_id: message.fromUserId,
    type: message.type,
    // A cut must not split a surrogate pair, which strict JSON parsers refuse.
    text: message.text?.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '') ?? null,
    reply_to: ours?.id ?? null,
    occurred_at: isoTime(message.occurredAt),
  }
  const endpoints = await replies.add({
    senderId,
    senderCode,
    providerMessageId: id,
    at: message.occurredAt,
    author: authorOf(message),
    body: vault.seal(JSON.stringify(data), PLACES.reply),
    expiresAt: now() + REPLY_KEPT_FOR,
  })
  if (endpoints === 'full') {
    logger.warn({ sender: senderId }, 'a reply is not passed on: too many wait for their receivers')
    return
  }
  for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
}

const authorOf = ({ senderId, from, fromUserId }: ReceivedMessage): number =>
  createHash('sha256')
    .update(`${senderId} ${from ?? fromUserId}`)
    .digest()
    .readUIntBE(0, 6)

/** Sources with times by WhatsApp's clock. Others use this PC's clock, which may be wrong. */
const SAID_BY_CUSTOMER: ReadonlySet<SuppressionSource> = new Set(['keyword', 'provider'])

/** Creates the port that stores opt-outs and passes replies on, for linked and official senders. */
export const listenWith = (context: ListenContext): CustomersPort => ({
  async received(message) {
    await obey(context, message)
    await passOnReply(context, message)
  },
  preference: (preference) => follow(context, preference, 'provider'),
  renamed: (senderId, names) => keepOptOuts(context, senderId, names),
})

/**
 * Applies a person's wish to each of their names, because messages go to numbers and to Meta's user
 * IDs. The number for a user ID comes from a message that went to it, or from the message that
 * `replyTo` names.
 */
async function follow(
  context: ListenContext,
  preference: MarketingPreference,
  source: 'keyword' | 'provider',
  replyTo: string | null = null,
): Promise<void> {
  const { messages, officialMessages } = context.messaging.store
  const { senderId, recipient, userId, wants } = preference
  const ours = replyTo === null ? undefined : await messages.find({ providerMessageId: replyTo, senderId })
  const number = (await officialMessages.numberOf(senderId, recipient)) ?? ours?.recipient ?? recipient
  for (const each of new Set([recipient, userId ?? recipient, number]))
    await (wants ? optIn : optOut)(context, { ...preference, recipient: each }, source)
}

/** Opts a person out, unless a later opt-in is known: Meta repeats news, and some comes late. */
async function optOut(
  { messaging }: ListenContext,
  { senderId, recipient: phone, at }: MarketingPreference,
  source: 'keyword' | 'provider',
): Promise<void> {
  if (((await messaging.store.replies.heardAt(senderId, 'opted_in', phone)) ?? 0) > at) return
  await addOptOut(messaging, { phone, senderId, scope: 'marketing', source, at })
}

/** Copies the opt-outs of a person's old names to the new ones. */
async function keepOptOuts({ messaging }: ListenContext, senderId: number, { before, after }: Names): Promise<void> {
  const { replies, suppressions } = messaging.store
  for (const old of before) {
    for (const { scope, source, at, ...entry } of await suppressions.list({ phone: old, senderId, limit: 2 })) {
      for (const phone of after) {
        if (((await replies.heardAt(senderId, 'opted_in', phone)) ?? 0) > at) continue
        await addOptOut(messaging, { phone, senderId: entry.senderId, scope, source, at }, false)
      }
    }
  }
}

/** Removes an opt-out, but neither one of the owner nor a later one of the customer. */
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
  // Without a number, the opt-out is stored by Meta's user ID, to which messages can also be sent.
  const recipient = from ?? fromUserId
  if (recipient === null || asked === null) return
  // If WhatsApp repeats an old STOP, it must not undo a later START.
  if (id !== null && (await replies.heardAt(senderId, 'obeyed', id)) !== null) return
  const preference = { senderId, recipient, userId: fromUserId, wants: asked === 'in', at }
  await follow(context, preference, 'keyword', from === null ? replyTo : null)
  if (id !== null) await replies.hear(senderId, 'obeyed', id, at)
}

const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()

/** Returns the wish in a customer's message; null unless the whole text is a keyword. Pure. */
export function keywordIn(text: string | null, keywords: Keywords): 'out' | 'in' | null {
  // No keyword is longer, and folding a long text takes time.
  if (text === null || text.length > 200) return null
  const said = folded(text)
  if (said === '') return null
  if (keywords.out.some((word) => folded(word) === said)) return 'out'
  return keywords.in.some((word) => folded(word) === said) ? 'in' : null
}

const PAGE = 200

/**
 * Stores and announces an opt-out, and cancels the messages that wait for this person. Resolves
 * with true if the opt-out is new.
 * @param mayNarrow true: may replace an opt-out from all messages by one from marketing alone
 */
export async function addOptOut(
  context: MessageContext,
  suppression: Suppression,
  mayNarrow = suppression.source === 'owner',
): Promise<boolean> {
  const code = codeOf(context, suppression.senderId)
  const written = await context.store.suppressions.put(suppression, code, mayNarrow)
  wake(context, written)
  // Also for a known opt-out, because an earlier call may have ended before it cancelled all.
  await cancelWaiting(context, suppression)
  return written !== undefined
}

/** Removes and announces an opt-out; resolves with false if there was none. */
export async function removeOptOut(
  context: MessageContext,
  name: Parameters<MessageContext['store']['suppressions']['remove']>[0],
  by: Parameters<MessageContext['store']['suppressions']['remove']>[1],
): Promise<boolean> {
  const written = await context.store.suppressions.remove(name, by, codeOf(context, name.senderId))
  wake(context, written)
  return written !== undefined
}

const codeOf = ({ store }: MessageContext, senderId: number | null) =>
  senderId === null ? null : store.senders.codeOf(senderId)

function wake({ bus }: MessageContext, endpoints: readonly number[] = []): void {
  for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
}

async function cancelWaiting(
  { store, record, files, now }: MessageContext,
  { phone, senderId, scope }: Suppression,
): Promise<void> {
  let before: number | undefined
  for (;;) {
    const waiting = { statuses: ['queued'], recipients: [phone], senderId: senderId ?? undefined } as const
    const rows = await store.messages.list({ ...waiting, before, limit: PAGE })
    for (const { seq, id, purpose } of rows) {
      if (!isUnwanted(scope, purpose)) continue
      const cancelled = await record.change({ seq }, (message) => cancelledByOptOut(message, now()))
      if (cancelled !== undefined) await files.media.release(id)
    }
    if (rows.length < PAGE) return
    before = rows.at(-1)?.seq
  }
}
