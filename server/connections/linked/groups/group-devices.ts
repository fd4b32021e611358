import { jidDecode, jidNormalizedUser, type WASocket } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { type Clock, HOUR } from '../../../lib/clock.ts'
import { inPortions } from '../../../lib/turns.ts'
import { askForDevices, beginSessions, type Device, isHosted, jidOfDevice, sessionsOf } from '../account/devices.ts'
import type { LookUps } from '../account/look-ups.ts'
import { MOST_MEMBERS } from '../library/bounds.ts'
import { userOf, withDevice } from '../library/stanzas.ts'
import { type Group, type GroupMember, isOwn, ownOf } from './group-metadata.ts'

/**
 * Lists of devices are used for so long where nothing is heard of a change; the hash of each
 * acknowledgement shows one that was not told. Ours.
 */
const KEPT_FOR = HOUR
/** Sessions that are begun in one question; each costs some milliseconds. */
const PORTION = 100

/** A device of a member, by the jid that the group uses, and by that under which its keys lie. */
export interface GroupDevice {
  jid: string
  keysOf: string
}

interface Listed {
  ids: { id: number; hosted: boolean }[]
  at: number
}

/** The devices of the members of groups. */
export function createGroupDevices(lookUps: LookUps, clock: Clock) {
  /** By the user part of the address that was asked for. */
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
    /** Somebody's devices changed; without a user, anybody's. */
    forget(users: readonly string[] | 'all'): void {
      if (users === 'all') lists.clear()
      else for (const user of users) lists.delete(user)
    },
    /** The lists of these members are not right. */
    doubt(members: readonly GroupMember[]): void {
      for (const { lid, pn } of members) for (const jid of [lid, pn]) if (jid) lists.delete(userOf(jid))
    },
    /**
     * Every device of the members but the sending one, in the form of the group. People are asked
     * for by LID where it is known (by number an account that has moved gets nothing), the own
     * account by number.
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
     * Begins the sessions that are missing. Resolves with the devices that have one: where one has
     * no keys, its member asks for the message.
     */
    async withSessions(sock: WASocket, devices: readonly GroupDevice[]): Promise<GroupDevice[]> {
      const reached: GroupDevice[] = []
      for await (const portion of inPortions(devices, PORTION)) {
        const has = await sessionsOf(sock, portion.map(deviceOf))
        const without = portion.filter((device) => !isIn(has, device))
        if (without.length > 0)
          await beginSessions(
            sock,
            without.map(({ keysOf }) => keysOf),
          )
        const now = without.length > 0 ? await sessionsOf(sock, portion.map(deviceOf)) : has
        reached.push(...portion.filter((device) => isIn(now, device)))
      }
      return reached
    },
  }
}

export function deviceOf({ jid }: { jid: string }): Device {
  const { user = '', server = '', device = 0 } = jidDecode(jid) ?? {}
  return { user, server, device }
}

const isIn = (devices: ReadonlySet<Device>, { jid }: GroupDevice): boolean =>
  [...devices].some((device) => jidOfDevice(device) === jid)
