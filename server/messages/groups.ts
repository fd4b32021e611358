import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { ReceiptsView } from '../contract/groups.ts'
import type { Status } from '../contract/messages.ts'
import { isGroupId } from '../contract/phone.ts'
import type { Change, GroupMember, GroupReceipts, GroupRow, GroupStore, Message, SenderRow } from '../store/index.ts'
import { isNewStatus } from './status.ts'

/** Groups of the sandbox, for rehearsals. */
const SANDBOX_GROUPS: readonly GroupRow[] = [
  { jid: '120363000000000101@g.us', name: 'Kitchen', members: 5, canSend: true },
  { jid: '120363000000000102@g.us', name: 'Drivers', members: 5, canSend: true },
  { jid: '120363000000000103@g.us', name: 'Announcements', members: 5, canSend: false },
]

export async function groupsOf(groups: GroupStore, sender: SenderRow): Promise<readonly GroupRow[]> {
  return sender.kind === 'sandbox' ? SANDBOX_GROUPS : groups.list(sender.id)
}

/**
 * Returns a jid for any group name in the sandbox, because a rehearsal stands for a linked number
 * that will be in that group.
 */
function rehearsed(name: string): string {
  const known = SANDBOX_GROUPS.find((group) => group.name === name)
  return known?.jid ?? `120363${createHash('sha256').update(name).digest().readUInt32BE()}0000@g.us`
}

const unknown = (name: string, count: number): ApiError =>
  new ApiError(
    'group_unknown',
    count === 0
      ? `This sender is in no group with exactly this name: ${name}.`
      : `This sender is in ${count} groups with this name: ${name}. Give the id of one, ending in @g.us.`,
  )

/**
 * Resolves with the id of the group that a caller named by id or by exact name.
 * @throws ApiError `group_unknown`
 */
export async function groupMeant(groups: GroupStore, sender: SenderRow, given: string): Promise<string> {
  const wanted = given.trim()
  if (isGroupId(wanted)) return wanted
  if (sender.kind === 'sandbox') return rehearsed(wanted)
  const found = (await groups.list(sender.id)).filter(({ name }) => name.normalize() === wanted.normalize())
  const [first] = found
  if (first === undefined || found.length > 1) throw unknown(wanted, found.length)
  return first.jid
}

const bitsOf = (text: string): Buffer => Buffer.from(text, 'base64')

function countOf(text: string): number {
  let count = 0
  for (const byte of bitsOf(text)) for (let left = byte; left > 0; left &= left - 1) count += 1
  return count
}

function withBit(text: string, index: number, members: number): string {
  const bits = Buffer.alloc(Math.ceil(members / 8))
  bitsOf(text).copy(bits)
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  return bits.toString('base64')
}

/**
 * Returns the change that stores whose receipts count: the members to whom the last stanza went,
 * because members who left before it get nothing. Null: a receipt has come already, so the stored
 * members stay. Pure.
 */
export const writtenTo = ({ receipts }: Message, members: readonly GroupMember[], at: number): Change | null =>
  receipts === null || receipts.delivered === ''
    ? { at, members, receipts: { members: members.length, delivered: '', read: '' } }
    : null

export const receiptsView = ({ members, delivered, read }: GroupReceipts): ReceiptsView => ({
  delivered: countOf(delivered),
  read: countOf(read),
  members,
})

/**
 * Returns the change that follows from one member's receipt; null: nothing new. A message is
 * `delivered` or `read` when the receipts of all members have come. A single receipt makes it
 * `sent`, because it proves that WhatsApp's server has the message. Pure.
 */
export function afterMember(message: Message, index: number, status: Status, at: number): Change | null {
  const before = message.receipts
  if (before === null || index < 0 || index >= before.members) return null
  const hasRead = status === 'read'
  const receipts = {
    members: before.members,
    delivered: withBit(before.delivered, index, before.members),
    read: hasRead ? withBit(before.read, index, before.members) : before.read,
  }
  const isNew = receipts.delivered !== before.delivered || receipts.read !== before.read
  const { delivered, read, members } = receiptsView(receipts)
  const reached: Status = read === members ? 'read' : delivered === members ? 'delivered' : 'sent'
  if (!isNewStatus(message, reached)) return isNew ? { at, receipts } : null
  const attemptEnds = { outcome: 'acknowledged', reason: null } as const
  return { status: reached, at, nextAt: null, error: null, attemptEnds, receipts }
}

/** Returns the index of the member with any of these addresses; -1: no such member. */
export const placeOf = (members: readonly GroupMember[], addresses: readonly string[]): number =>
  members.findIndex((member) => member.some((address) => addresses.includes(address)))
