import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { REPLY_KEPT_FOR, type receivedEventData } from '../contract/webhooks.ts'
import { isoTime } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { MessageContext } from '../messages/context.ts'
import { isReplyWanted, PLACES } from '../store/index.ts'
import type { ReceivedMessage } from './customers.ts'

const LONGEST_TEXT = 65_536

/** Words by which customers opt out and in. */
export interface Keywords {
  out: readonly string[]
  in: readonly string[]
}

/** Context of listening to customers. */
export interface ListenContext {
  messaging: MessageContext
  keywords: () => Keywords
  vault: Vault
  logger: Logger
}

/** Queues what a customer wrote for endpoints that want it, sealed: no file has it open. */
export async function passOnReply(
  { messaging, vault, logger }: ListenContext,
  message: ReceivedMessage,
): Promise<void> {
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
    // Not cut through a character of two units, which strict readers of JSON refuse.
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
