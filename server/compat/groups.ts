import { SANDBOX_GROUPS } from '../messages/group-recipient.ts'
import type { GroupStore, SenderRow } from '../store/index.ts'

/** Groups of a sender, as mouths list them. */
export async function groupsOf(groups: GroupStore, sender: SenderRow): Promise<{ id: string; name: string }[]> {
  const rows = sender.kind === 'sandbox' ? SANDBOX_GROUPS : await groups.list(sender.id)
  return rows.map(({ jid, name }) => ({ id: jid, name }))
}
