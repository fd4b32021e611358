import { jidDecode, jidNormalizedUser, type WASocket } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { type Clock, HOUR } from '../../../lib/clock.ts'
import { inPortions } from '../../../lib/turns.ts'
import { askForDevices, beginSessions, type Device, isHosted, sessionsOf } from '../account/devices.ts'
import type { LookUps } from '../account/look-ups.ts'
import { MOST_MEMBERS } from '../library/bounds.ts'
import { userOf, withDevice } from '../library/stanzas.ts'
import { type Group, type GroupMember, isOwn, ownOf } from './group-metadata.ts'

/**
 * Longest use of a device list if no change is announced. A change without an announcement shows in
 * the hash of the next acknowledgement. Our choice.
 */
const KEPT_FOR = HOUR
/** Most sessions that one question begins; each costs a few milliseconds. */
const PORTION = 100

/** A member's device: `jid` in the form of the group, `keysOf` the jid under which its keys are. */
export interface GroupDevice {
  jid: string
  keysOf: string
}

interface Listed {
  ids: { id: number; hosted: boolean }[]
  at: number
}

export function createGroupDevices(lookUps: LookUps, clock: Clock) {
  /** Lists by the user part of the jid that was asked for. */
  const lists = createBoundedMap<string, Listed>(4 * MOST_MEMBERS)

  function fresh(user: string): Listed | undefined {
    const list = lists.get(user)
    const age = clock.elapsed() - (list?.at ?? 0)
    return list !== undefined && age < KEPT_FOR ? list : undefined
  }

  async function refresh(sock: WASocket, jids: readonly string[]): Promise<void> {
    const missing = [...new Set(jids)].filter((jid) => fresh(userOf(jid)) === undefined)
    if (missing.length === 0) return
    const found = await askForDevices(lookUps, sock, missing)
    for (const jid of missing) {
      const devices: Device[] = found.get(userOf(jid)) ?? []
      const ids = devices.map((device) => ({ id: device.device, hosted: isHosted(device) }))
      lists.set(userOf(jid), { ids, at: clock.elapsed() })
    }
  }

  return {
    /** Forgets the lists of these users, because their devices changed. */
    forget(users: readonly string[] | 'all'): void {
      if (users === 'all') lists.clear()
      else for (const user of users) lists.delete(user)
    },
    /** Forgets the lists of these members, because WhatsApp knows other devices. */
    doubt(members: readonly GroupMember[]): void {
      for (const { lid, pn } of members) for (const jid of [lid, pn]) if (jid) lists.delete(userOf(jid))
    },
    /**
     * Resolves with all devices of the members except the sending device, in the form of the group.
     * Asks for people by LID if it is known, because by number a migrated account gets nothing, and
     * for the own account by number.
     */
    async of(sock: WASocket, group: Group): Promise<GroupDevice[]> {
      const { me } = sock.authState.creds
      const own = ownOf(sock)
      const askedAs = (member: GroupMember): string =>
        isOwn(own, member) ? jidNormalizedUser(me?.id) : (member.lid ?? member.jid)
      await refresh(sock, group.members.map(askedAs))
      const self = jidDecode(me?.id)?.device ?? 0
      return group.members.flatMap((member) => {
        const listed = fresh(userOf(askedAs(member)))?.ids ?? []
        return listed
          .filter(({ id, hosted }) => !hosted && !(isOwn(own, member) && id === self))
          .map(({ id }) => ({ jid: withDevice(member.jid, id), keysOf: withDevice(member.lid ?? member.jid, id) }))
      })
    },
    /**
     * Begins missing sessions. Resolves with the devices that have a session. The member of a
     * device without keys asks for the message later.
     */
    async withSessions(sock: WASocket, devices: readonly GroupDevice[]): Promise<GroupDevice[]> {
      const reached: GroupDevice[] = []
      for await (const portion of inPortions(devices, PORTION)) {
        const jids = portion.map(({ jid }) => jid)
        const before = await sessionsOf(sock, jids)
        const without = portion.filter(({ jid }) => !before.has(jid)).map(({ keysOf }) => keysOf)
        if (without.length > 0) await beginSessions(sock, without)
        const now = without.length > 0 ? await sessionsOf(sock, jids) : before
        reached.push(...portion.filter(({ jid }) => now.has(jid)))
      }
      return reached
    },
  }
}

export function deviceOf({ jid }: { jid: string }): Device {
  const { user = '', server = '', device = 0 } = jidDecode(jid) ?? {}
  return { user, server, device }
}
