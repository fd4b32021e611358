import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { isGroupId } from '../contract/phone.ts'
import type { GroupRow, GroupStore, SenderRow } from '../store/index.ts'

/** Groups of the sandbox, for rehearsals. */
const SANDBOX_GROUPS: readonly GroupRow[] = [
  { jid: '120363000000000101@g.us', name: 'Kitchen', members: 5, canSend: true },
  { jid: '120363000000000102@g.us', name: 'Drivers', members: 5, canSend: true },
  { jid: '120363000000000103@g.us', name: 'Announcements', members: 5, canSend: false },
]

/** The groups that a sender is in. */
export async function groupsOf(groups: GroupStore, sender: SenderRow): Promise<readonly GroupRow[]> {
  return sender.kind === 'sandbox' ? SANDBOX_GROUPS : groups.list(sender.id)
}

/** A rehearsal knows every name: it stands for the group that the linked number will have. */
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
 * The id of a group that a caller named, by its id or its exact name.
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
