import type { BinaryNode } from 'baileys'
import { parseJid } from './address.ts'
import { type Companion, type Directory, deviceIds } from './directory.ts'
import { devicesOfGroup, type Group, isLidGroup } from './groups.ts'
import { participantHash } from './participant-hash.ts'
import { attribute, child, children } from './stanza.ts'

/** The server's verdict on a group message, before anything is delivered. */
export interface GroupVerdict {
  /** Error of the acknowledgement; the message is not delivered then. */
  error?: string
  /** Correct hash, set if the message has another one. */
  phash?: string
}

const WRONG_FORM = '400'
const FORBIDDEN = '403'
const UNKNOWN = '404'
const STALE_MODE = '421'

const CHILDREN = new Set(['participants', 'enc', 'device-identity', 'reporting', 'meta'])

/** Returns true for an answer to a retry receipt, which names the device that asked. */
export const isForOneMember = (message: BinaryNode): boolean => attribute(message, 'participant') !== undefined

const hasIdentity = (message: BinaryNode, encs: readonly (BinaryNode | undefined)[]): boolean =>
  !encs.some((enc) => enc?.attrs.type === 'pkmsg') || child(message, 'device-identity') !== undefined

/** Returns true for a member's device other than the sender's, addressed in the group's form. */
function isDeviceOfMember(jid: string, group: Group, sender: Companion, directory: Directory): boolean {
  const address = parseJid(jid)
  const found = directory.find(jid)
  if (address === undefined || found === undefined || address.isHosted) return false
  if (address.isLid !== isLidGroup(group) || !group.members.has(found.contact)) return false
  const isSending = found.contact === sender.contact && address.device === sender.device
  return !isSending && deviceIds(found.contact).includes(address.device)
}

function isWellFormed(message: BinaryNode, group: Group, sender: Companion, directory: Directory): boolean {
  const encs = children(message).filter(({ tag }) => tag === 'enc')
  const [enc] = encs
  if (encs.length !== 1 || enc?.attrs.v !== '2') return false
  if (children(message).some(({ tag }) => !CHILDREN.has(tag))) return false
  if (isForOneMember(message)) {
    const isPairwise = ['msg', 'pkmsg'].includes(enc.attrs.type ?? '')
    const isAlone = child(message, 'participants') === undefined && attribute(message, 'phash') === undefined
    const isMembers = isDeviceOfMember(message.attrs.participant ?? '', group, sender, directory)
    return isPairwise && isAlone && isMembers && hasIdentity(message, [enc])
  }
  if (enc.attrs.type !== 'skmsg' || attribute(message, 'phash') === undefined) return false
  const list = children(child(message, 'participants'))
  const seals = list.map((to) => child(to, 'enc'))
  const jids = list.map(({ attrs }) => attrs.jid ?? '')
  return (
    new Set(jids).size === jids.length &&
    jids.every((jid) => isDeviceOfMember(jid, group, sender, directory)) &&
    seals.every((seal) => seal?.attrs.v === '2' && ['msg', 'pkmsg'].includes(seal.attrs.type ?? '')) &&
    hasIdentity(message, seals)
  )
}

/** Pure. */
export function judgeForGroup(
  message: BinaryNode,
  group: Group | undefined,
  sender: Companion,
  directory: Directory,
): GroupVerdict {
  if (group === undefined) return { error: UNKNOWN }
  const rank = group.members.get(sender.contact)
  if (rank === undefined || (group.announce && rank !== 'admin')) return { error: FORBIDDEN }
  // For groups by number neither client writes the attribute; whatsmeow omits it.
  if ((attribute(message, 'addressing_mode') ?? 'pn') !== group.form) return { error: STALE_MODE }
  if (!isWellFormed(message, group, sender, directory)) return { error: WRONG_FORM }
  if (isForOneMember(message)) return {}
  const right = participantHash(devicesOfGroup(group))
  return message.attrs.phash === right ? {} : { phash: right }
}

/**
 * Returns true if the answer to a member's retry receipt differs from what both clients send: one
 * copy with its count, the message's time and the group's addressing mode.
 */
export function isOddAnswerToMember(message: BinaryNode, group: Group): boolean {
  const enc = child(message, 'enc')
  const { t, type, addressing_mode = 'pn' } = message.attrs
  const hasKind = type !== 'media' || enc?.attrs.mediatype !== undefined
  return enc?.attrs.count === undefined || t === undefined || addressing_mode !== group.form || !hasKind
}
