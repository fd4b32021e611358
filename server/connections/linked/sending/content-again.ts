import type { proto } from 'baileys'
import { deletionId, deletionOf, inChat, type Part, partsOf, twinId } from './content.ts'
import type { SendingContext } from './context.ts'

/**
 * A recipient could not read a message, or that one is deleted, and asks for it again, perhaps days
 * later, by a number or a LID of then. Who asks is not compared: only those who got the message,
 * and the devices of this account, know its id (72 random bits).
 */
export async function contentAgain(
  context: SendingContext,
  providerMessageId: string,
  chat: string,
): Promise<proto.IMessage | undefined> {
  const part = await partOf(context, providerMessageId)
  if (part !== undefined) return part.content
  const deleted = await partOf(context, deletionId(providerMessageId))
  return deleted && inChat(deletionOf(deleted.id).content, chat)
}

/** The stanza with this id, as it was written. */
async function partOf({ senderId, store }: SendingContext, providerMessageId: string): Promise<Part | undefined> {
  for (const id of [providerMessageId, twinId(providerMessageId)]) {
    const message = await store.messages.find({ providerMessageId: id, senderId })
    const parts = message === undefined ? [] : partsOf(message, id, await store.messages.content(message.seq))
    const part = parts.find((one) => one.id === providerMessageId)
    if (part !== undefined) return part
  }
  return undefined
}
