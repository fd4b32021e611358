import { type BinaryNode, jidNormalizedUser, type proto, type WASocket } from 'baileys'
import { createBoundedMap } from '../../lib/bounded-map.ts'
import type { Logger } from '../../lib/logger.ts'
import { editOf } from './content.ts'

/** As often as the library gives out a message again; and to so many who ask. */
const MOST_TIMES = 5
const MOST_ASKING = 1_000

export interface DeletionRetryDeps {
  sock: Pick<WASocket, 'assertSessions' | 'relayMessage' | 'sendMessageAck'>
  /** Content written under an id, to a chat without a device. */
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  logger: Logger
}

/**
 * Somebody could not read that a message is deleted. The library repeats every message without the
 * attribute `edit`, with which a deletion is written; whatsapp-rust (1489b7da, src/retry.rs) makes
 * it from the message again, whatsmeow (33cfac51, retry.go) takes it over from the receipt. As with
 * both, only the device that asks gets it.
 * @returns a function that resolves with true where it answered a receipt; the library is not to
 *   see it then
 */
export function createDeletionRetry({ sock, contentOf, logger }: DeletionRetryDeps) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  async function repeat(node: BinaryNode, chat: string, content: proto.IMessage): Promise<void> {
    const { id: messageId = '', from = '', participant = from } = node.attrs
    const asker = `${messageId} ${participant}`
    const before = times.get(asker) ?? 0
    if (before >= MOST_TIMES) return
    times.set(asker, before + 1)
    // It could not read what the session of before gave it.
    await sock.assertSessions([participant], true)
    await sock.relayMessage(chat, content, {
      messageId,
      participant: { jid: participant, count: countIn(node) },
      additionalAttributes: editOf(content),
    })
  }

  return async (node: BinaryNode): Promise<boolean> => {
    const { type, id = '', from, recipient } = node.attrs
    if (type !== 'retry') return false
    // Other devices of this account name the chat beside themselves.
    const chat = jidNormalizedUser(recipient ?? from)
    const content = await contentOf(id, chat)
    if (content?.protocolMessage == null) return false
    await repeat(node, chat, content).catch((err: unknown) => logger.warn({ err }, 'a deletion could not be repeated'))
    await sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a receipt could not be confirmed'))
    return true
  }
}

function countIn({ content }: BinaryNode): number {
  const retry = Array.isArray(content) ? content.find(({ tag }) => tag === 'retry') : undefined
  return Number(retry?.attrs.count) || 1
}
