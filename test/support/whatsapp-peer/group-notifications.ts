import { randomUUID } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import { type Contact, jidOf } from './directory.ts'
import { groupNode, memberNode } from './group-queries.ts'
import { type Group, isLidGroup } from './groups.ts'
import { seconds, stanza } from './stanza.ts'

/** Notifies the clients of all members, and of those who left, of a change to the group. */
export function notifyGroup(group: Group, action: BinaryNode, by: Contact, now: number, left: readonly Contact[] = []) {
  for (const member of new Set([...group.members.keys(), ...left])) {
    for (const { outbox } of member.companions) {
      outbox.post(
        stanza(
          'notification',
          {
            ...{ id: randomUUID(), type: 'w:gp2', from: group.jid, t: seconds(now), addressing_mode: group.form },
            participant: jidOf(by, isLidGroup(group)),
          },
          [action],
        ),
      )
    }
  }
}

/** Returns a change of the members: `add`, `remove`, `promote`, `demote`. */
export const ofMembers = (tag: string, group: Group, contacts: readonly Contact[]): BinaryNode =>
  stanza(
    tag,
    {},
    contacts.map((contact) => memberNode(contact, group)),
  )

export const created = (group: Group): BinaryNode => stanza('create', { type: 'new' }, [groupNode(group)])
