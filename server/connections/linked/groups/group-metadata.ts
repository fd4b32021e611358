import { type BinaryNode, isLidUser, isPnUser, jidNormalizedUser, type WASocket } from 'baileys'
import type { GroupRow } from '../../../store/index.ts'
import { LONGEST_SUBJECT, MOST_GROUPS, MOST_MEMBERS, TIMERS } from '../library/bounds.ts'
import { childOf, childrenOf } from '../library/stanzas.ts'

/** A member of a group; the addresses have no device. */
export interface GroupMember {
  /** Address in the form of the group. */
  jid: string
  lid: string | undefined
  pn: string | undefined
}

/** WhatsApp's facts about a group, without the members. */
export interface GroupFacts {
  jid: string
  name: string
  form: 'lid' | 'pn'
  /** Number of members. */
  size: number
  /** True if only admins may write. */
  announce: boolean
  /** True if this account is an admin. */
  isAdmin: boolean
  timer: number | null
}

export interface Group extends GroupFacts {
  /** Empty if the group is too large to be written to. */
  members: readonly GroupMember[]
}

/** Addresses of the own account, by number and by LID, without a device. */
export type Own = ReadonlySet<string>

export const ownOf = ({ authState }: WASocket): Own => {
  const { me } = authState.creds
  return new Set([me?.id, me?.lid].flatMap((jid) => (jid === undefined ? [] : [jidNormalizedUser(jid)])))
}

/** Returns this device's address in the form of a group. */
export function sendingDeviceIn({ form }: GroupFacts, { authState }: WASocket): string {
  const { me } = authState.creds
  return (form === 'lid' ? me?.lid : me?.id) ?? ''
}

/** Returns a group's name, cut to the longest one without splitting a surrogate pair. */
export const nameOf = (subject: string | undefined): string => [...(subject ?? '')].slice(0, LONGEST_SUBJECT).join('')

function membersIn(node: BinaryNode): GroupMember[] {
  return childrenOf(node, 'participant')
    .slice(0, MOST_MEMBERS + 1)
    .flatMap(({ attrs }) => {
      const { jid = '', lid, phone_number } = attrs
      const bare = [jid, lid, phone_number].map((one) => (one === undefined ? undefined : jidNormalizedUser(one)))
      const member = bare[0]
      if (!member || !(isLidUser(member) || isPnUser(member))) return []
      return [{ jid: member, lid: bare.find((one) => isLidUser(one)), pn: bare.find((one) => isPnUser(one)) }]
    })
}

export const isOwn = (own: Own, { jid, lid, pn }: GroupMember): boolean =>
  [jid, lid, pn].some((address) => address !== undefined && own.has(address))

/** Reads a `group` node; undefined: not a group. Pure. */
export function readGroup(node: BinaryNode, own: Own): Group | undefined {
  const { id = '', subject, addressing_mode, size } = node.attrs
  const jid = id.includes('@') ? id : `${id}@g.us`
  if (node.tag !== 'group' || id === '') return undefined
  const members = membersIn(node)
  const count = Math.max(members.length, Number(size) || 0)
  const ranks = childrenOf(node, 'participant').filter(({ attrs }) => attrs.type !== undefined)
  const isAdmin = ranks.some((one) => membersIn({ tag: 'one', attrs: {}, content: [one] }).some((m) => isOwn(own, m)))
  const seconds = Number(childOf(node, 'ephemeral')?.attrs.expiration)
  return {
    jid,
    name: nameOf(subject),
    form: addressing_mode === 'lid' ? 'lid' : 'pn',
    size: count,
    members: count > MOST_MEMBERS ? [] : members,
    announce: childOf(node, 'announcement') !== undefined,
    isAdmin,
    timer: TIMERS.has(seconds) ? seconds : null,
  }
}

/** Reads the groups of an answer, at most `MOST_GROUPS`. Pure. */
export const readGroups = (answer: BinaryNode, own: Own): Group[] =>
  childrenOf(childOf(answer, 'groups'))
    .slice(0, MOST_GROUPS)
    .flatMap((node) => readGroup(node, own) ?? [])

export const canSend = ({ announce, isAdmin, size }: GroupFacts): boolean =>
  (!announce || isAdmin) && size <= MOST_MEMBERS

export const rowOf = (group: GroupFacts): GroupRow => ({
  jid: group.jid,
  name: group.name,
  members: group.size,
  canSend: canSend(group),
})

/**
 * Returns a group after a notification (`w:gp2`); null: this number is not in it any more. Pure.
 */
export function afterNotification<G extends GroupFacts>(group: G, node: BinaryNode, own: Own): G | null {
  return childrenOf(node).reduce<G | null>((before, change) => before && applied(before, change, own), group)
}

function applied<G extends GroupFacts>(group: G, change: BinaryNode, own: Own): G | null {
  const members = membersIn(change)
  const isMe = members.some((member) => isOwn(own, member))
  switch (change.tag) {
    case 'add':
      return { ...group, size: group.size + members.length }
    case 'remove':
      return isMe ? null : { ...group, size: Math.max(0, group.size - members.length) }
    case 'promote':
    case 'demote':
      return isMe ? { ...group, isAdmin: change.tag === 'promote' } : group
    case 'subject':
      return { ...group, name: nameOf(change.attrs.subject) }
    case 'announcement':
    case 'not_announcement':
      return { ...group, announce: change.tag === 'announcement' }
    case 'delete':
      return null
    default:
      return group
  }
}
