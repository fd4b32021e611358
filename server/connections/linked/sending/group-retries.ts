import { type BinaryNode, isJidGroup, jidDecode, jidNormalizedUser, type proto, type WASocket } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Group } from '../groups/group-metadata.ts'
import { type Groups, isOutcome } from '../groups/groups.ts'
import type { SenderKeys } from '../keys/sender-keys.ts'
import { withDevice } from '../library/jids.ts'
import { MOST_ASKING, MOST_TIMES, writeAgain } from './retries.ts'

export interface GroupRetriesDeps {
  sock: WASocket
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  groups: Pick<Groups, 'get'>
  senderKeys: SenderKeys
  logger: Logger
}

/**
 * Gives a message of a group again to the one device that could not open it, sealed for it alone
 * and with the key of the group beside it, as whatsmeow (retry.go) and whatsapp-rust (src/retry.rs)
 * do. Somebody who is not in the group any more gets neither.
 * @returns a function that resolves with true where it answered a receipt
 */
export function createGroupRetries({ sock, contentOf, groups, senderKeys, logger }: GroupRetriesDeps) {
  const times = createBoundedMap<string, number>(MOST_ASKING)

  async function repeat(node: BinaryNode): Promise<void> {
    const { id = '', from: jid = '', participant = '' } = node.attrs
    const asker = `${id} ${participant}`
    const before = times.get(asker) ?? 0
    if (before >= MOST_TIMES) return
    const group = await groups.get(sock, jid)
    const member = isOutcome(group) ? undefined : memberOf(group, participant)
    const content = member === undefined ? undefined : await contentOf(id, jid)
    if (isOutcome(group) || member === undefined || content === undefined) return
    times.set(asker, before + 1)
    const to = withDevice(member.jid, jidDecode(participant)?.device ?? 0)
    // What it has of this number's key is of no use to it.
    senderKeys.lost(jid, to)
    await writeAgain(sock, node, {
      to,
      content,
      sealed: { ...content, ...(await keyOf(group)) },
      attrs: { to: group.jid, participant: to, addressing_mode: group.form },
    })
  }

  /** The key of the group as it is now; none after a start, until the next message. */
  async function keyOf({ jid, form }: Group): Promise<proto.IMessage> {
    if (!senderKeys.has(jid)) return {}
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
