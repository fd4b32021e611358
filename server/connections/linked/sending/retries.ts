import {
  type BinaryNode,
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
import type { Group } from '../groups/group-metadata.ts'
import { type Groups, isOutcome } from '../groups/groups.ts'
import { childOf, identityOf, withDevice } from '../library/stanzas.ts'
import { editOf, mediaTypeOf } from './content.ts'

/** How often a device gets a message again; and how many who ask are remembered. */
const MOST_TIMES = 5
const MOST_ASKING = 1_000

/** Content written under an id, to a chat without a device. */
type ContentOf = (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>

/**
 * Gives a message again to the one device that could not read it, as whatsmeow (33cfac51, retry.go)
 * and whatsapp-rust (1489b7da, src/retry.rs) do: one copy, in the form of the chat. The library
 * writes in the form of the receipt, which WhatsApp may refuse, to all devices where the phone
 * asks, and without the attribute `edit`, with which a deletion is written.
 * @param addressOf a person's address as it is written to: both LIDs and numbers ask. Without a
 *   device
 * @returns a function that resolves with true where it answered a receipt; the library is not to
 *   see it then
 */
export function createRetries(
  sock: WASocket,
  contentOf: ContentOf,
  addressOf: (jid: string) => Promise<{ jid: string; ownJid: string }>,
  logger: Logger,
) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  async function repeat(node: BinaryNode, chat: string): Promise<void> {
    const { id = '', from = '', recipient } = node.attrs
    // Anybody can ask: WhatsApp is asked for the address of one who got the message alone.
    if ((await contentOf(id, chat)) === undefined) return
    const address = await addressOf(chat)
    const content = await contentOf(id, address.jid)
    const asker = `${id} ${from}`
    const before = times.get(asker) ?? 0
    if (content === undefined || before >= MOST_TIMES) return
    times.set(asker, before + 1)
    const device = jidDecode(from)?.device
    const to = withDevice(recipient === undefined ? address.jid : address.ownJid, device)
    const copy = {
      deviceSentMessage: { destinationJid: address.jid, message: content },
      messageContextInfo: content.messageContextInfo ?? null,
    }
    await writeAgain(sock, node, {
      to,
      content,
      sealed: recipient === undefined ? content : copy,
      attrs: { to },
      more: { device_fanout: 'false', ...(recipient === undefined ? {} : { recipient: address.jid }) },
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

interface Again {
  to: string
  content: proto.IMessage
  /** The content, with whatever goes to this device beside it. */
  sealed: proto.IMessage
  /** How the stanza is addressed; `more` in the place that WhatsApp's clients give it. */
  attrs: Record<string, string>
  more?: Record<string, string>
}

type Injected = Parameters<WASocket['signalRepository']['injectE2ESession']>[0]

/**
 * Seals a message once more for the one device that asks, in a new session: it could not read what
 * the session of before gave it.
 * @param asked the receipt
 */
async function writeAgain(
  sock: WASocket,
  asked: BinaryNode,
  { to, content, sealed, attrs, more }: Again,
): Promise<void> {
  // A bundle may lack the one-time key.
  const session = extractE2ESessionFromRetryReceipt(asked) as Injected['session'] | null
  if (session === null) await sock.assertSessions([to], true)
  else await sock.signalRepository.injectE2ESession({ jid: to, session })
  const { type, ciphertext } = await sock.signalRepository.encryptMessage({ jid: to, data: encodeWAMessage(sealed) })
  const { t, count = '1' } = childOf(asked, 'retry')?.attrs ?? {}
  const mediatype = mediaTypeOf(content)
  const media = mediatype === undefined ? {} : { mediatype }
  await sock.sendNode({
    tag: 'message',
    attrs: {
      id: asked.attrs.id ?? '',
      ...attrs,
      type: mediatype === undefined ? 'text' : 'media',
      ...(t === undefined ? {} : { t }),
      ...more,
      ...editOf(content),
    },
    content: [
      { tag: 'enc', attrs: { v: '2', type, ...media, count }, content: ciphertext },
      ...(type === 'pkmsg' ? identityOf(sock) : []),
    ],
  })
}

/**
 * Gives a message of a group again to the one device that could not open it, sealed for it alone
 * and with the key of the group beside it, as whatsmeow (retry.go) and whatsapp-rust (src/retry.rs)
 * do. Somebody who is not in the group any more gets neither.
 * @returns a function that resolves with true where it answered a receipt
 */
export function createGroupRetries(sock: WASocket, contentOf: ContentOf, groups: Groups, logger: Logger) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  async function repeat(node: BinaryNode): Promise<void> {
    const { id = '', from: jid = '', participant = '' } = node.attrs
    const asker = `${id} ${participant}`
    const before = times.get(asker) ?? 0
    if (before >= MOST_TIMES) return
    const content = await contentOf(id, jid)
    if (content === undefined) return
    const group = await groups.get(sock, jid)
    const member = isOutcome(group) ? undefined : memberOf(group, participant)
    if (isOutcome(group) || member === undefined) return
    times.set(asker, before + 1)
    const to = withDevice(member.jid, jidDecode(participant)?.device ?? 0)
    // The device cannot open this number's key for the group: it gets a new one.
    groups.senderKeys.lost(jid, to)
    await writeAgain(sock, node, {
      to,
      content,
      sealed: { ...content, ...(await keyOf(group)) },
      attrs: { to: group.jid, participant: to, addressing_mode: group.form },
    })
  }

  /** The key of the group as it is now; none after a start, until the next message. */
  async function keyOf({ jid, form }: Group): Promise<proto.IMessage> {
    if (!groups.senderKeys.has(jid)) return {}
    const { me } = sock.authState.creds
    const meId = (form === 'lid' ? me?.lid : me?.id) ?? ''
    const key = await sock.signalRepository.getSenderKeyDistributionMessage({ group: jid, meId })
    return { senderKeyDistributionMessage: { groupId: jid, axolotlSenderKeyDistributionMessage: key } }
  }

  return async (node: BinaryNode): Promise<boolean> => {
    const { type, from } = node.attrs
    if (type !== 'retry' || !isJidGroup(from)) return false
    await repeat(node).catch((err: unknown) => logger.warn({ err }, 'a message of a group could not be repeated'))
    await sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a receipt could not be confirmed'))
    return true
  }
}

const memberOf = ({ members }: Group, jid: string) =>
  members.find((member) => [member.jid, member.lid, member.pn].includes(jidNormalizedUser(jid)))
