import type { proto } from 'baileys'
import { deletionId, deletionOf, inChat, type Part, partsOf, twinId } from './content.ts'
import type { SendingContext } from './context.ts'

/**
 * A recipient could not read a message, or that one is deleted, and asks for it again, perhaps days
 * later, by a number or a LID of then. Who asks is not compared: only those who got the message,
 * and the devices of this account, know its id (72 random bits). What was deleted for everyone is
 * not given out any more.
 */
export async function contentAgain(
  context: SendingContext,
  providerMessageId: string,
  chat: string,
): Promise<proto.IMessage | undefined> {
  const part = await partOf(context, providerMessageId)
  if (part !== undefined) {
    const events = await context.store.events.ofMessage(part.seq)
    return events.some(({ type }) => type === 'message.revoked') ? undefined : part.content
  }
  const deleted = await partOf(context, deletionId(providerMessageId))
  return deleted && inChat(deletionOf(deleted.id).content, chat)
}

/** The stanza with this id, as it was written, and its message. */
async function partOf(
  { senderId, store }: SendingContext,
  providerMessageId: string,
): Promise<(Part & { seq: number }) | undefined> {
  for (const id of [providerMessageId, twinId(providerMessageId)]) {
    const message = await store.messages.find({ providerMessageId: id, senderId })
    if (message === undefined) continue
    const parts = partsOf(message, id, await store.messages.content(message.seq))
    const part = parts.find((one) => one.id === providerMessageId)
    if (part !== undefined) return { ...part, seq: message.seq }
  }
  return undefined
}
