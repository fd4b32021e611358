import type { proto } from 'baileys'
import { mayBeOfOtherNumber } from '../../../messages/status.ts'
import { deletionId, deletionOf, inChat, type Part, partsOf, twinId } from './content.ts'
import type { SendingContext } from './context.ts'

/**
 * A recipient could not read a message, or that one is deleted, and asks for it again, perhaps days
 * later, by a number or a LID of then. Who asks is not compared: only those who got the message,
 * and the devices of this account, know its id (72 random bits). A message that was deleted for
 * everyone, or sent by another number, is not given out any more.
 */
export async function contentAgain(
  context: SendingContext,
  providerMessageId: string,
  chat: string,
): Promise<proto.IMessage | undefined> {
  const { events } = context.store
  const part = await partOf(context, providerMessageId)
  if (part !== undefined) {
    const isDeleted = (await events.ofMessage(part.seq)).some(({ type }) => type === 'message.revoked')
    return isDeleted ? undefined : part.content
  }
  const deleted = await partOf(context, deletionId(providerMessageId))
  return deleted && inChat(deletionOf(deleted.id).content, chat)
}

/** The stanza with this id, as this number wrote it, and its message. */
async function partOf(
  { senderId, store: { messages, senders } }: SendingContext,
  providerMessageId: string,
): Promise<(Part & { seq: number }) | undefined> {
  for (const id of [providerMessageId, twinId(providerMessageId)]) {
    const message = await messages.find({ providerMessageId: id, senderId })
    if (message === undefined) continue
    const { seq } = message
    const part = partsOf(message, id, await messages.content(seq)).find((one) => one.id === providerMessageId)
    if (part === undefined || mayBeOfOtherNumber(await messages.attempts(seq), senders.get(senderId))) continue
    return { ...part, seq }
  }
  return undefined
}
