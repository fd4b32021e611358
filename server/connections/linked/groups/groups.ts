import type { BinaryNode, WASocket } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Outcome } from '../../../messages/channel.ts'
import type { LinkedContext } from '../account/context.ts'
import type { LookUps } from '../account/look-ups.ts'
import { MOST_GROUPS, MOST_GROUPS_WRITTEN_TO, MOST_UNDER_SENDER_KEY } from '../library/bounds.ts'
import { refusalOf } from '../library/questions.ts'
import { childOf } from '../library/stanzas.ts'
import { createGroupDevices, type GroupDevice } from './group-devices.ts'
import {
  afterNotification,
  canSend,
  type Group,
  type GroupFacts,
  type GroupMember,
  isOwn,
  ownOf,
  readGroup,
  readGroups,
  rowOf,
} from './group-metadata.ts'

/** Outcomes by error code: WhatsApp tells nothing about a group to somebody who is not in it. */
const REFUSALS: Readonly<Record<number, Outcome>> = {
  401: { kind: 'refused', code: 'not_in_group', providerCode: '401' },
  403: { kind: 'refused', code: 'not_in_group', providerCode: '403' },
  404: { kind: 'refused', code: 'group_unknown', providerCode: '404' },
}

export const isOutcome = (group: Group | Outcome): group is Outcome => 'kind' in group

const CLOSED: Outcome = { kind: 'refused', code: 'group_closed' }

const ask = (sock: WASocket, to: string, content: BinaryNode): Promise<BinaryNode> =>
  sock.query({ tag: 'iq', attrs: { type: 'get', xmlns: 'w:g2', to }, content: [content] })

export type Groups = ReturnType<typeof createGroups>

/**
 * Keeps the groups of a number. The names of all groups are read once per connection, and
 * WhatsApp's notifications change them. Members, their devices and this number's keys are kept only
 * for groups that are written to.
 */
export function createGroups({ senderId, store, live, logger, clock }: LinkedContext, lookUps: LookUps) {
  const devices = createGroupDevices(lookUps, clock)
  const senderKeys = createSenderKeys()
  /** Has no members, because a number may be in a thousand groups of a thousand people. */
  let all = new Map<string, GroupFacts>()
  const known = createBoundedMap<string, Group>(MOST_GROUPS_WRITTEN_TO)
  let saving: Promise<void> | undefined
  let isChanged = false

  /** Stores the groups, one write at a time. A change during a write goes into the next one. */
  function save(): void {
    isChanged = true
    saving ??= write().finally(() => {
      saving = undefined
    })
  }

  async function write(): Promise<void> {
    while (isChanged) {
      isChanged = false
      await store.groups
        .replace(senderId, [...all.values()].map(rowOf))
        .catch((err: unknown) => logger.warn({ err, sender: senderId }, 'the groups of a number could not be stored'))
    }
  }

  async function readAll(sock: WASocket): Promise<void> {
    const question = { tag: 'participating', attrs: {}, content: [{ tag: 'participants', attrs: {} }] }
    const groups = readGroups(await ask(sock, '@g.us', question), ownOf(sock))
    if (live() !== sock) return
    all = new Map(groups.map(({ members, ...group }) => [group.jid, group]))
    save()
  }

  async function readOne(sock: WASocket, jid: string): Promise<Group | Outcome> {
    let answer: BinaryNode
    try {
      answer = await ask(sock, jid, { tag: 'query', attrs: { request: 'interactive' } })
    } catch (error) {
      const refusal = REFUSALS[Number(refusalOf(error))]
      if (refusal === undefined) throw error
      if (all.delete(jid)) save()
      return refusal
    }
    const node = childOf(answer, 'group')
    const group = node && readGroup(node, ownOf(sock))
    if (group === undefined) throw new Error('WhatsApp did not tell of this group')
    known.set(jid, group)
    await keepPairs(sock, group.members)
    const { members, ...facts } = group
    if (all.has(jid) || all.size < MOST_GROUPS) all.set(jid, facts)
    save()
    return group
  }

  /** Stores the members' LIDs, because sessions are kept by LID whatever form a group uses. */
  async function keepPairs(sock: WASocket, members: readonly GroupMember[]): Promise<void> {
    const pairs = members.flatMap(({ lid, pn }) => (lid && pn ? [{ lid, pn }] : []))
    if (pairs.length > 0) await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
  }

  /**
   * Resolves with a group and its members, or with the outcome if it cannot be written to.
   * @throws if WhatsApp does not answer
   */
  async function get(sock: WASocket, jid: string): Promise<Group | Outcome> {
    const group = known.get(jid) ?? (await readOne(sock, jid))
    if (isOutcome(group)) return group
    if (!group.members.some((member) => isOwn(ownOf(sock), member)) && group.members.length > 0) {
      return { kind: 'refused', code: 'not_in_group' }
    }
    return canSend(group) ? group : CLOSED
  }

  function follow(node: BinaryNode, sock: WASocket): void {
    const { type, from: jid = '' } = node.attrs
    if (type !== 'w:gp2') return
    known.delete(jid)
    const created = childOf(childOf(node, 'create') ?? node, 'group')
    const before = all.get(jid) ?? (created && readGroup(created, ownOf(sock)))
    if (before === undefined) {
      // Somebody added this number to a group that existed before.
      if (childOf(node, 'add') === undefined || all.size >= MOST_GROUPS) return
      readOne(sock, jid).catch((err: unknown) => logger.debug({ err }, 'a group could not be read'))
      return
    }
    const after = created === undefined ? afterNotification(before, node, ownOf(sock)) : before
    if (after === before && all.has(jid)) return
    if (after === null) all.delete(jid)
    else if (all.has(jid) || all.size < MOST_GROUPS) {
      const { members, ...facts } = after as Group
      all.set(jid, facts)
    }
    save()
  }

  return {
    get,
    /** Forgets a group's members, so that they are read again before the next message. */
    drop: (jid: string): void => known.delete(jid),
    devices,
    senderKeys,
    /** Reads all groups again, because changes of devices and groups may have been missed. */
    onUp(sock: WASocket): void {
      devices.forget('all')
      known.clear()
      readAll(sock).catch((err: unknown) => logger.debug({ err }, 'the groups of a number could not be read'))
    },
    /** @param users whose devices the notification changes */
    onNotification(node: BinaryNode, users: readonly string[] | 'all' | undefined): void {
      const sock = live()
      if (sock !== undefined) follow(node, sock)
      if (users !== undefined) devices.forget(users)
    },
    onLinked({ sameAccount }: { sameAccount: boolean }): void {
      senderKeys.forgetAll()
      if (sameAccount) return
      all.clear()
      known.clear()
      save()
    },
    /** Resolves when all changes are stored. */
    idle: async (): Promise<void> => saving,
  }
}

interface HeldKey {
  /** The library's records, by the library's name of each key. */
  records: Map<string, Uint8Array>
  /** Jids of the devices that have the key. */
  holders: Set<string>
  messages: number
}

const groupOf = (name: string): string => name.slice(0, name.indexOf('::'))

/**
 * Keeps this number's sender keys for groups, and the devices that have them, in memory only. Like
 * a session, a sender key encrypts only in the run that began it
 * (docs/decisions/0012-signal-keys.md), so a stored key would be useless.
 */
export function createSenderKeys() {
  const groups = createBoundedMap<string, HeldKey>(MOST_GROUPS_WRITTEN_TO)

  function heldOf(group: string): HeldKey {
    const held = groups.get(group) ?? { records: new Map(), holders: new Set(), messages: 0 }
    groups.set(group, held)
    return held
  }

  return {
    /** Store for the library, which names a key `group::user::device`. */
    records: {
      get: (name: string): Uint8Array | undefined => groups.get(groupOf(name))?.records.get(name),
      set: (name: string, record: Uint8Array): void => void heldOf(groupOf(name)).records.set(name, record),
    },
    has: (group: string): boolean => (groups.get(group)?.records.size ?? 0) > 0,
    /**
     * Returns the devices that lack the key of the next message. A new key begins after
     * `MOST_UNDER_SENDER_KEY` messages, or if a device has the key but has left the group: its
     * member left, or removed the device (whatsapp-rust, rotate_sender_key_on_participant_remove).
     */
    lacking(group: string, devices: readonly GroupDevice[]): GroupDevice[] {
      const { holders, messages } = heldOf(group)
      const there = new Set(devices.map(({ jid }) => jid))
      const isStale = [...holders].some((device) => !there.has(device)) || messages >= MOST_UNDER_SENDER_KEY
      if (isStale) groups.delete(group)
      return devices.filter(({ jid }) => isStale || !holders.has(jid))
    },
    /**
     * Counts a message that brought the key to these devices. Returns a function that marks them as
     * lacking the key again.
     */
    given(group: string, devices: readonly string[]): () => void {
      const held = heldOf(group)
      held.messages += 1
      for (const device of devices) held.holders.add(device)
      return () => {
        for (const device of devices) held.holders.delete(device)
      }
    },
    /** Marks a device that could not decrypt a message, so that it gets the key again. */
    lost: (group: string, device: string): void => void groups.get(group)?.holders.delete(device),
    forget: (group: string): void => groups.delete(group),
    forgetAll: (): void => groups.clear(),
  }
}
