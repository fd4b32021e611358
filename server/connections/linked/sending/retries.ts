import {
  type BinaryNode,
  encodeWAMessage,
  extractE2ESessionFromRetryReceipt,
  isJidGroup,
  isLidUser,
  jidDecode,
  jidNormalizedUser,
  type proto,
  type WASocket,
} from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Logger } from '../../../lib/logger.ts'
import { type Group, sendingDeviceIn } from '../groups/group-metadata.ts'
import { type Groups, isOutcome } from '../groups/groups.ts'
import { childOf, identityOf, withDevice } from '../library/stanzas.ts'
import { editOf, mediaTypeOf } from './content.ts'

/** Repetitions of a message per device, and how many pairs of message and device are remembered. */
const MOST_TIMES = 5
const MOST_ASKING = 1_000

interface RetriesDeps {
  /** Resolves with the content that was written under an id to a chat (a jid without a device). */
  contentOf(providerMessageId: string, chat: string): Promise<proto.IMessage | undefined>
  /**
   * Resolves with the address that a person's messages are written to, without a device, because
   * LIDs and numbers both ask.
   */
  addressOf(jid: string): Promise<{ jid: string; ownJid: string }>
  groups: Groups
  logger: Logger
}

/**
 * Sends a message again to the one device that could not read it, as whatsmeow (33cfac51, retry.go)
 * and whatsapp-rust (1489b7da, src/retry.rs) do: one copy, in the form of the chat. The library
 * would write in the form of the receipt, which WhatsApp may refuse; to all devices if the phone
 * asks; and without the attribute `edit` that a deletion needs.
 * @returns a function that resolves with true if it answered the receipt, which the library must
 *   then not see
 */
export function createRetries(sock: WASocket, { contentOf, addressOf, groups, logger }: RetriesDeps) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  /** Counts an answer to a device. Returns false if the device got enough of them. */
  function mayAnswer(id: string, device: string): boolean {
    const asker = `${id} ${device}`
    const before = times.get(asker) ?? 0
    if (before < MOST_TIMES) times.set(asker, before + 1)
    return before < MOST_TIMES
  }

  async function repeatToPerson(node: BinaryNode, chat: string): Promise<void> {
    const { id = '', from = '', recipient } = node.attrs
    // Anybody can ask, so WhatsApp is asked for an address only if the asker knows a message's id.
    if ((await contentOf(id, chat)) === undefined) return
    const address = await addressOf(chat)
    const content = await contentOf(id, address.jid)
    if (content === undefined || !mayAnswer(id, from)) return
    const device = jidDecode(from)?.device
    const to = withDevice(recipient === undefined ? address.jid : address.ownJid, device)
    const copy = {
      deviceSentMessage: { destinationJid: address.jid, message: content },
      messageContextInfo: content.messageContextInfo ?? null,
    }
    await sealAgain(sock, node, {
      to,
      content,
      sealed: recipient === undefined ? content : copy,
      attrs: { to },
      more: { device_fanout: 'false', ...(recipient === undefined ? {} : { recipient: address.jid }) },
    })
  }

  /**
   * Seals a group's message for the device alone, with the group's sender key beside it. A device
   * of somebody who has left the group gets neither.
   */
  async function repeatToMember(node: BinaryNode, jid: string): Promise<void> {
    const { id = '', participant = '' } = node.attrs
    const content = await contentOf(id, jid)
    if (content === undefined || !mayAnswer(id, participant)) return
    let group = await groups.get(sock, jid)
    // Nothing but the address of who asks tells that the group's addressing mode has changed.
    if (!isOutcome(group) && isLidUser(participant) !== (group.form === 'lid')) {
      groups.drop(jid)
      group = await groups.get(sock, jid)
    }
    const member = isOutcome(group) ? undefined : memberOf(group, participant)
    if (isOutcome(group) || member === undefined) return
    const to = withDevice(member.jid, jidDecode(participant)?.device ?? 0)
    // The device could not use this number's sender key for the group, so it gets the key again.
    groups.senderKeys.lost(jid, to)
    await sealAgain(sock, node, {
      to,
      content,
      sealed: { ...content, ...(await keyOf(group)) },
      attrs: { to: group.jid, participant: to, addressing_mode: group.form },
    })
  }

  /**
   * Resolves with the current sender key of the group; empty after a start, until the next message.
   */
  async function keyOf(group: Group): Promise<proto.IMessage> {
    const { jid } = group
    if (!groups.senderKeys.has(jid)) return {}
    const meId = sendingDeviceIn(group, sock)
    const key = await sock.signalRepository.getSenderKeyDistributionMessage({ group: jid, meId })
    return { senderKeyDistributionMessage: { groupId: jid, axolotlSenderKeyDistributionMessage: key } }
  }

  return async (node: BinaryNode): Promise<boolean> => {
    const { type, from, recipient } = node.attrs
    if (type !== 'retry') return false
    // Other devices of this account name the chat in `recipient`.
    const chat = jidNormalizedUser(recipient ?? from)
    const repeat = isJidGroup(chat) ? repeatToMember : repeatToPerson
    await repeat(node, chat).catch((err: unknown) => logger.warn({ err }, 'a message could not be repeated'))
    await sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a receipt could not be confirmed'))
    return true
  }
}

interface Again {
  to: string
  content: proto.IMessage
  /** `content` as it is sealed for this device: with additions, or wrapped as a copy. */
  sealed: proto.IMessage
  /** Attributes that address the stanza. `more` stands where WhatsApp's clients put it. */
  attrs: Record<string, string>
  more?: Record<string, string>
}

type Injected = Parameters<WASocket['signalRepository']['injectE2ESession']>[0]

/**
 * Seals a message again for the one device that asks. Begins a new session, because the device
 * could not read a message of the old one.
 * @param asked the retry receipt
 */
async function sealAgain(
  sock: WASocket,
  asked: BinaryNode,
  { to, content, sealed, attrs, more }: Again,
): Promise<void> {
  // The bundle in the receipt may lack the one-time key, which the target type requires.
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

const memberOf = ({ members }: Group, jid: string) =>
  members.find((member) => [member.jid, member.lid, member.pn].includes(jidNormalizedUser(jid)))
