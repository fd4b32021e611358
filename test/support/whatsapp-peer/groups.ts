import { jidEncode } from 'baileys'
import { type Contact, deviceIds, deviceJidOf } from './directory.ts'

export type Rank = 'member' | 'admin'

/** A group as the server stores it. */
export interface Group {
  id: string
  jid: string
  name: string
  form: 'lid' | 'pn'
  members: Map<Contact, Rank>
  /** Only admins may write. */
  announce: boolean
  /** Seconds after which messages disappear. */
  timer: number | undefined
  /** Milliseconds since 1970. */
  createdAt: number
}

const FIRST_ID = 120_363_040_000_000_000n

export function createGroups() {
  const byJid = new Map<string, Group>()
  return {
    create(group: Omit<Group, 'id' | 'jid'>): Group {
      const id = String(FIRST_ID + BigInt(byJid.size))
      const made = { ...group, id, jid: jidEncode(id, 'g.us') }
      byJid.set(made.jid, made)
      return made
    },
    delete: (group: Group) => void byJid.delete(group.jid),
    find: (jid: string | undefined): Group | undefined => (jid === undefined ? undefined : byJid.get(jid)),
    of: (contact: Contact): Group[] => [...byJid.values()].filter(({ members }) => members.has(contact)),
  }
}
export type Groups = ReturnType<typeof createGroups>

export const isLidGroup = ({ form }: Group): boolean => form === 'lid'

/** Returns every device of a group's messages, including the sender's, without hosted ones. */
export const devicesOfGroup = (group: Group): string[] =>
  [...group.members.keys()].flatMap((contact) =>
    deviceIds(contact)
      .filter((device) => !contact.devices.get(device)?.hosted)
      .map((device) => deviceJidOf(contact, isLidGroup(group), device)),
  )
