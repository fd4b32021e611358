import {
  type BinaryNode,
  encodeSignedDeviceIdentity,
  encodeWAMessage,
  extractE2ESessionFromRetryReceipt,
  isJidGroup,
  jidDecode,
  jidNormalizedUser,
  type proto,
  type WASocket,
} from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Logger } from '../../../lib/logger.ts'
import { editOf, mediaTypeOf } from './content.ts'

export type Injected = Parameters<WASocket['signalRepository']['injectE2ESession']>[0]

/** How often a device gets a message again; and how many who ask are remembered. */
export const MOST_TIMES = 5
export const MOST_ASKING = 1_000

export interface RetriesDeps {
  sock: Pick<WASocket, 'assertSessions' | 'authState' | 'sendMessageAck' | 'sendNode' | 'signalRepository'>
  /** Content written under an id, to a chat without a device. */
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  /** A person's address as it is written to: both LIDs and numbers ask. Without a device. */
  addressOf: (jid: string) => Promise<{ jid: string; ownJid: string }>
  logger: Logger
}

/**
 * Gives a message again to the one device that could not read it, as whatsmeow (33cfac51, retry.go)
 * and whatsapp-rust (1489b7da, src/retry.rs) do: one copy, in the form of the chat. The library
 * writes in the form of the receipt, which WhatsApp may refuse, to all devices where the phone
 * asks, and without the attribute `edit`, with which a deletion is written.
 * @returns a function that resolves with true where it answered a receipt; the library is not to
 *   see it then
 */
export function createRetries({ sock, contentOf, addressOf, logger }: RetriesDeps) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  async function repeat(node: BinaryNode, chat: string): Promise<void> {
    const { id = '', from = '', recipient } = node.attrs
    const address = await addressOf(chat)
    const content = await contentOf(id, address.jid)
    const asker = `${id} ${from}`
    const before = times.get(asker) ?? 0
    if (content === undefined || before >= MOST_TIMES) return
    times.set(asker, before + 1)
    const device = jidDecode(from)?.device
    const to = withDevice(recipient === undefined ? address.jid : address.ownJid, device)
    // It could not read what the session of before gave it. A bundle may lack the one-time key.
    const session = extractE2ESessionFromRetryReceipt(node) as Injected['session'] | null
    if (session === null) await sock.assertSessions([to], true)
    else await sock.signalRepository.injectE2ESession({ jid: to, session })
    const copy = {
      deviceSentMessage: { destinationJid: address.jid, message: content },
      messageContextInfo: content.messageContextInfo ?? null,
    }
    const data = encodeWAMessage(recipient === undefined ? content : copy)
    const { type, ciphertext } = await sock.signalRepository.encryptMessage({ jid: to, data })
    const retry = Array.isArray(node.content) ? node.content.find(({ tag }) => tag === 'retry') : undefined
    const { t, count = '1' } = retry?.attrs ?? {}
    const mediatype = mediaTypeOf(content)
    await sock.sendNode({
      tag: 'message',
      attrs: {
        id,
        to,
        type: mediatype === undefined ? 'text' : 'media',
        ...(t === undefined ? {} : { t }),
        device_fanout: 'false',
        ...(recipient === undefined ? {} : { recipient: address.jid }),
        ...editOf(content),
      },
      content: [
        {
          tag: 'enc',
          attrs: { v: '2', type, ...(mediatype === undefined ? {} : { mediatype }), count },
          content: ciphertext,
        },
        ...(type === 'pkmsg' ? identityOf(sock) : []),
      ],
    })
  }

  return async (node: BinaryNode): Promise<boolean> => {
    const { type, from, recipient } = node.attrs
    // Other devices of this account name the chat beside themselves.
    const chat = jidNormalizedUser(recipient ?? from)
    if (type !== 'retry' || isJidGroup(chat)) return false
    await repeat(node, chat).catch((err: unknown) => logger.warn({ err }, 'a message could not be repeated'))
    await sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a receipt could not be confirmed'))
    return true
  }
}

function withDevice(jid: string, device: number | undefined): string {
  const [user, server] = jid.split('@')
  return device ? `${user}:${device}@${server}` : jid
}

/** The phone's word for this client, which a message that begins a session needs. */
function identityOf({ authState }: Pick<WASocket, 'authState'>): BinaryNode[] {
  const { account } = authState.creds
  return account === undefined
    ? []
    : [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
}
