import { type BinaryNode, encodeWAMessage, type WASocket } from 'baileys'
import { StorageError } from '../../../lib/storage-error.ts'
import { inPortions } from '../../../lib/turns.ts'
import { type Checked, EXPIRED, type Flight, type Outcome, type Outgoing } from '../../../messages/channel.ts'
import { writtenTo } from '../../../messages/groups.ts'
import { participantHash } from '../account/devices.ts'
import { deviceOf, type GroupDevice } from '../groups/group-devices.ts'
import { type Group, isOwn, ownOf, sendingDeviceIn } from '../groups/group-metadata.ts'
import { isOutcome } from '../groups/groups.ts'
import { isDisconnect } from '../library/questions.ts'
import { identityOf } from '../library/stanzas.ts'
import { editOf, inChat, mediaTypeOf, type Part } from './content.ts'
import type { SendingContext } from './context.ts'
import { type Acknowledgement, type Landing, launch, outcomeOfAck } from './flights.ts'
import { outcomeOfError, writeParts } from './relay.ts'

/** WhatsApp's error: the stanza's addressing mode is not that of the group. */
const STALE_MODE = '421'
/**
 * WhatsApp's error: the whole stanza is refused, for example because a member who would get the key
 * with it has left.
 */
const WRONG = '400'
/**
 * WhatsApp's errors: not in the group, only admins may write, no such group. The group's own data
 * tells which.
 */
const REFUSED: ReadonlySet<string> = new Set(['401', '403', '404'])
/** Devices for which a key is sealed before other calls get a turn. */
const AT_A_STRETCH = 16

interface Written {
  context: SendingContext
  sock: WASocket
  message: Outgoing
  part: Part
  group: Group
  devices: readonly GroupDevice[]
  /** True for the repetition after WhatsApp refused another addressing mode or list of members. */
  isSecond: boolean
  /** Milliseconds since 1970. The message must not leave later. */
  notAfter: number
}

/** Resolves with `go` if this number may write to the group. Never rejects. */
export async function checkGroup({ groups }: SendingContext, sock: WASocket, jid: string): Promise<Checked> {
  try {
    const group = await groups.get(sock, jid)
    return isOutcome(group) ? group : 'go'
  } catch (error) {
    if (isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
    return { kind: 'not_sent', reason: `WhatsApp did not tell of the group: ${error}` }
  }
}

export async function timerOfGroup({ groups }: SendingContext, sock: WASocket, jid: string): Promise<number | null> {
  const group = await groups.get(sock, jid)
  return isOutcome(group) ? null : group.timer
}

/**
 * Writes a message to a group as whatsmeow (33cfac51, send.go) and whatsapp-rust (1489b7da,
 * send/group.rs) do: sealed once with this number's sender key for the group, and with that key for
 * the devices that lack it. The library itself would omit the hash of the devices, and would keep
 * its key after a member leaves. Resolves when all parts are written.
 * @throws any error before the first part is written; nothing was sent
 */
export async function writeToGroup(
  context: SendingContext,
  sock: WASocket,
  message: Outgoing,
  parts: readonly Part[],
  notAfter = Number.POSITIVE_INFINITY,
): Promise<Flight> {
  const { groups, clock } = context
  const group = await groups.get(sock, message.recipient)
  if (isOutcome(group)) return { outcome: Promise.resolve(group) }
  const all = await groups.devices.of(sock, group)
  await keepMembers(context, sock, message, group)
  if (clock.now() >= notAfter) return { outcome: Promise.resolve(EXPIRED) }
  return writeParts(parts, async (part) => {
    const written = { context, sock, message, part, group, devices: all, isSecond: false, notAfter }
    const { landing } = await put(written)
    return { outcome: conclude(written, landing) }
  })
}

async function distribute(sock: WASocket, to: string, key: Uint8Array, jids: readonly string[]) {
  const participants: BinaryNode[] = []
  let begins = false
  const content = { senderKeyDistributionMessage: { groupId: to, axolotlSenderKeyDistributionMessage: key } }
  for await (const portion of inPortions(jids, AT_A_STRETCH)) {
    // If a device cannot be written to, its member asks for the message.
    const made = await sock.createParticipantNodes([...portion], content).catch((error: unknown) => {
      if (isDisconnect(error) || error instanceof StorageError) throw error
      return undefined
    })
    participants.push(...(made?.nodes ?? []))
    begins ||= made?.shouldIncludeDeviceIdentity === true
  }
  return { participants, begins }
}

async function put({ context, sock, part, group, devices: all }: Written): Promise<{ landing: Promise<Landing> }> {
  const { senderKeys, devices } = context.groups
  const meId = sendingDeviceIn(group, sock)
  const targets = await devices.withSessions(sock, senderKeys.lacking(group.jid, all))
  const content = inChat(part.content, group.jid)
  const data = encodeWAMessage(content)
  const sealed = await sock.signalRepository.encryptGroupMessage({ group: group.jid, meId, data })
  const { participants, begins } = await distribute(
    sock,
    group.jid,
    sealed.senderKeyDistributionMessage,
    targets.map(({ jid }) => jid),
  )
  const given = participants.map(({ attrs }) => attrs.jid ?? '')
  const takeBack = senderKeys.given(group.jid, given)
  const mediatype = mediaTypeOf(part.content)
  const stanza: BinaryNode = {
    tag: 'message',
    attrs: {
      ...{ id: part.id, to: group.jid, type: mediatype === undefined ? 'text' : 'media' },
      ...{ phash: hashOf(all, meId), addressing_mode: group.form },
      ...editOf(part.content),
    },
    content: [
      ...(participants.length > 0 ? [{ tag: 'participants', attrs: {}, content: participants }] : []),
      ...(begins ? identityOf(sock) : []),
      {
        tag: 'enc',
        attrs: { v: '2', type: 'skmsg', ...(mediatype === undefined ? {} : { mediatype }) },
        content: sealed.ciphertext,
      },
    ],
  }
  const { landing } = await launch(context.flights, sock, part.id, () => sock.sendNode(stanza))
  const settled = landing.then((landed) => {
    // As far as is known, no device got the key with this stanza.
    if (landed.kind !== 'ack' || landed.error !== undefined) takeBack()
    return landed
  })
  return { landing: settled }
}

/** Stores the members whose receipts count. Resolves when they are on disk. */
function keepMembers({ record, clock }: SendingContext, sock: WASocket, { seq }: Outgoing, { members }: Group) {
  const own = ownOf(sock)
  const others = members.filter((member) => !isOwn(own, member))
  const addresses = others.map(({ jid, lid, pn }) => [...new Set([jid, lid, pn].filter((one) => one !== undefined))])
  return record.change({ seq }, (message) => writtenTo(message, addresses, clock.now()))
}

async function conclude(written: Written, landing: Promise<Landing>): Promise<Outcome> {
  const landed = await landing
  if (landed.kind !== 'ack') return landed
  const { context, group, sock } = written
  try {
    const mayBeStale = landed.error === STALE_MODE || landed.error === WRONG
    if (mayBeStale && !written.isSecond) return await writeAgain(written, landed)
    if (REFUSED.has(landed.error ?? '')) return await refusal(written, landed)
  } catch (error) {
    if (isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
    return outcomeOfError(error, context.clock.now())
  }
  if (landed.error !== undefined) return outcomeOfAck(landed.error)
  context.onAcknowledged()
  if (landed.phash !== undefined && landed.phash !== hashOf(written.devices, sendingDeviceIn(group, sock))) {
    // The message was written to other devices than the group has, so drop the cached lists. Never
    // a reason to write it again, because devices that lack the key ask for the message.
    context.groups.drop(group.jid)
    context.groups.devices.doubt(group.members)
  }
  return { kind: 'acknowledged' }
}

/**
 * Writes a refused message, which nobody got, once more under the same id, in the group's current
 * mode and to its current members. Resolves with the refusal if neither has changed.
 */
async function writeAgain(written: Written, landed: Acknowledgement): Promise<Outcome> {
  const { context, sock, group: before } = written
  const { groups } = context
  groups.drop(before.jid)
  const group = await groups.get(sock, before.jid)
  if (isOutcome(group)) return group
  const now = await groups.devices.of(sock, group)
  const isSame = hashOf(now, sendingDeviceIn(group, sock)) === hashOf(written.devices, sendingDeviceIn(before, sock))
  if (group.form === before.form && isSame) return outcomeOfAck(landed.error)
  await keepMembers(context, sock, written.message, group)
  if (context.clock.now() >= written.notAfter) return EXPIRED
  const again = { ...written, group, devices: now, isSecond: true }
  return conclude(again, (await put(again)).landing)
}

async function refusal({ context, sock, group }: Written, { error }: Acknowledgement): Promise<Outcome> {
  const { groups } = context
  groups.drop(group.jid)
  const now = await groups.get(sock, group.jid)
  return isOutcome(now) ? now : outcomeOfAck(error)
}

const hashOf = (devices: readonly GroupDevice[], meId: string): string =>
  participantHash([...devices, { jid: meId }].map(deviceOf))
