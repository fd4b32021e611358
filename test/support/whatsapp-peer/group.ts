import type { Directory } from './directory.ts'
import { created, notifyGroup, ofMembers } from './group-notifications.ts'
import type { Group, Groups, Rank } from './groups.ts'
import { stanza } from './stanza.ts'

export interface GroupOptions {
  /** Numbers; the first made it and is an admin. */
  members: readonly string[]
  admins?: readonly string[]
  form?: Group['form']
  announce?: boolean
  timer?: number
  /** Nobody is told that it is there: it was before. */
  silently?: boolean
}

/** A group, for a test: who is in it, and what becomes of it. */
export function createGroup(
  name: string,
  { members, admins = [], form = 'lid', announce = false, timer, silently = true }: GroupOptions,
  { directory, groups, now }: { directory: Directory; groups: Groups; now: () => number },
) {
  const contacts = members.map(directory.contact)
  const [founder] = contacts
  if (founder === undefined) throw new Error('a group has members')
  const rankOf = (number: string): Rank => (number === founder.number || admins.includes(number) ? 'admin' : 'member')
  const group = groups.create({
    ...{ name, form, announce, timer, createdAt: now() },
    members: new Map(contacts.map((contact) => [contact, rankOf(contact.number)])),
  })
  const tell = (...[action, by = founder, left = []]: [ReturnType<typeof stanza>, typeof founder?, typeof contacts?]) =>
    notifyGroup(group, action, by, now(), left)
  if (!silently) tell(created(group))

  return {
    jid: group.jid,
    get members() {
      return [...group.members.keys()].map(({ number }) => number)
    },
    /** Somebody joins; the clients of the members are told unless `silently`. */
    add(number: string, options: { silently?: boolean } = {}) {
      const contact = directory.contact(number)
      group.members.set(contact, 'member')
      if (!options.silently) tell(ofMembers('add', group, [contact]))
    },
    /** Somebody leaves, or is put out. */
    remove(number: string, options: { silently?: boolean } = {}) {
      const contact = directory.contact(number)
      group.members.delete(contact)
      if (!options.silently) tell(ofMembers('remove', group, [contact]), founder, [contact])
    },
    promote(number: string) {
      const contact = directory.contact(number)
      group.members.set(contact, 'admin')
      tell(ofMembers('promote', group, [contact]))
    },
    demote(number: string) {
      const contact = directory.contact(number)
      group.members.set(contact, 'member')
      tell(ofMembers('demote', group, [contact]))
    },
    rename(to: string) {
      group.name = to
      tell(stanza('subject', { subject: to, s_t: String(Math.floor(now() / 1000)) }))
    },
    /** Only admins write from now on, or everybody again. */
    setAnnounce(only: boolean, options: { silently?: boolean } = {}) {
      group.announce = only
      if (!options.silently) tell(stanza(only ? 'announcement' : 'not_announcement'))
    },
    setTimer(seconds: number | undefined) {
      group.timer = seconds
      tell(seconds === undefined ? stanza('not_ephemeral') : stanza('ephemeral', { expiration: String(seconds) }))
    },
    /** Its members are addressed in another form from now on; nobody is told. */
    setForm(to: Group['form']) {
      group.form = to
    },
    delete() {
      tell(stanza('delete'))
      groups.delete(group)
    },
  }
}
export type GroupControl = ReturnType<typeof createGroup>
