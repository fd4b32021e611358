import type { Directory } from './directory.ts'
import { created, notifyGroup, ofMembers } from './group-notifications.ts'
import type { Group, Groups, Rank } from './groups.ts'
import { stanza } from './stanza.ts'

export interface GroupOptions {
  /** Phone numbers; the first one is the founder and an admin. */
  members: readonly string[]
  admins?: readonly string[]
  form?: Group['form']
  announce?: boolean
  timer?: number
  /** Sends no notification, as if the group had existed before. Default: true. */
  silently?: boolean
}

/** Creates a group and the functions with which a test changes it. */
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
    /** Adds a member; members' clients are notified unless `silently`. */
    add(number: string, options: { silently?: boolean } = {}) {
      const contact = directory.contact(number)
      group.members.set(contact, 'member')
      if (!options.silently) tell(ofMembers('add', group, [contact]))
    },
    /** Removes a member; clients are notified unless `silently`. */
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
    /** Allows only admins to write, or everybody. */
    setAnnounce(only: boolean, options: { silently?: boolean } = {}) {
      group.announce = only
      if (!options.silently) tell(stanza(only ? 'announcement' : 'not_announcement'))
    },
    setTimer(seconds: number | undefined) {
      group.timer = seconds
      tell(seconds === undefined ? stanza('not_ephemeral') : stanza('ephemeral', { expiration: String(seconds) }))
    },
    /** Changes how members are addressed, without a notification. */
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
