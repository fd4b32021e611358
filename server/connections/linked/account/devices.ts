import { createHash } from 'node:crypto'
import {
  type BinaryNode,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  USyncQuery,
  USyncUser,
  type WASocket,
} from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { type Clock, MINUTE } from '../../../lib/clock.ts'
import { MOST_DEVICES } from '../library/bounds.ts'
import { refusalOf } from '../library/questions.ts'
import { childrenOf, userOf } from '../library/stanzas.ts'
import { type Address, askForNumber } from './addressing.ts'
import type { LookUps } from './look-ups.ts'

/** A device as the library's cache holds it. */
export interface Device {
  user: string
  server: string
  device: number
}

export const jidOfDevice = ({ user, server, device }: Device): string =>
  // The library's type of servers is closed; what comes from it goes back to it.
  jidEncode(user, server as Parameters<typeof jidEncode>[1], device)

/**
 * The answer to `encrypt/key` with only those who gave keys: the library throws at the first other
 * one, before it uses any. A missing one-time key is normal.
 */
export function usableKeys(answer: BinaryNode): BinaryNode {
  const users = childrenOf(childrenOf(answer, 'list')[0], 'user')
  const isUsable = (user: BinaryNode): boolean =>
    childrenOf(user, 'error').length === 0 && ['identity', 'skey'].every((tag) => childrenOf(user, tag).length > 0)
  return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users.filter(isUsable) }] }
}

/**
 * Hosted devices belong to business platforms, and WhatsApp Web leaves them out of direct messages.
 */
export const isHosted = ({ device, server }: Device): boolean =>
  device === 99 || server === 'hosted' || server === 'hosted.lid'

/**
 * The devices to write to: those with a session, hosted ones left out. Null: none of the recipient
 * is left, so that a message would only reach this account's own devices.
 */
export function reachable(devices: readonly Device[], hasSession: (device: Device) => boolean): Device[] | null {
  const left = devices.filter((device) => !isHosted(device) && hasSession(device))
  return left.length === 0 ? null : left
}

/** A list that was asked for by phone number, as devices of the LID. */
export const asLid = (devices: readonly Device[], lidUser: string): Device[] =>
  devices.map(({ device, server }) => ({
    user: lidUser,
    server: server.startsWith('hosted') ? 'hosted.lid' : 'lid',
    device,
  }))

/**
 * The hash of the devices that a message was written to, as acknowledgements have it: `2:` and six
 * bytes in base64. (whatsmeow 33cfac51 and whatsapp-rust 1489b7da agree; the library's own takes
 * other strings and another length.)
 */
export function participantHash(devices: readonly Device[]): string {
  const names = devices.map(({ user, device, server }) => `${user}.0:${device}@${server}`).sort()
  const digest = createHash('sha256').update(names.join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64').replaceAll('=', '')}`
}

/**
 * True if the hash of an acknowledgement says that the list of devices is out of date. The two
 * clients differ in whether the sending device counts, so both count as agreement. Never a reason
 * to send the message again.
 */
export function isOutdated(acknowledged: string | undefined, written: readonly Device[], own: Device): boolean {
  if (acknowledged === undefined) return false
  return ![participantHash(written), participantHash([...written, own])].includes(acknowledged)
}

/**
 * The users whose device lists a notification makes worthless: `all` where it names none, because
 * an update names only a hash and comes from this account's own address. Undefined: the
 * notification says nothing about devices.
 */
export function usersChangedBy(node: BinaryNode): string[] | 'all' | undefined {
  const { type, from, lid } = node.attrs
  if (type === 'account_sync') {
    const [devices] = childrenOf(node, 'devices')
    return devices && usersOf([from, ...childrenOf(devices, 'device').map(({ attrs }) => attrs.jid)])
  }
  if (type !== 'devices') return undefined
  if (childrenOf(node, 'update').length > 0) return 'all'
  const named = [...childrenOf(node, 'add'), ...childrenOf(node, 'remove')].flatMap((change) =>
    childrenOf(change, 'device').flatMap(({ attrs }) => [attrs.jid, attrs.lid]),
  )
  return usersOf([from, lid, ...named])
}

const usersOf = (jids: (string | undefined)[]): string[] => [...new Set(jids.map(userOf).filter((user) => user !== ''))]

/**
 * The devices of some people, by user. Asked here and not by the library, which would begin each
 * session again.
 */
export async function askForDevices(
  lookUps: LookUps,
  sock: WASocket,
  jids: readonly string[],
): Promise<Map<string, Device[]>> {
  const question = new USyncQuery().withContext('message').withDeviceProtocol()
  for (const jid of jids) question.withUser(new USyncUser().withId(jid))
  const users = await lookUps.ask(sock, question)
  if (users === undefined) throw new Error('WhatsApp did not name the devices of this number')
  return new Map(
    users.map(({ id, devices }) => {
      const { user = '', server = '' } = jidDecode(id) ?? {}
      const { deviceList = [] } = (devices ?? {}) as {
        deviceList?: { id: number; keyIndex?: number; isHosted?: boolean }[]
      }
      return [
        user,
        deviceList
          // A companion without a key index is not linked any more.
          .filter((device) => device.id === 0 || device.keyIndex)
          .slice(0, MOST_DEVICES)
          .map((device) => ({ user, server: device.isHosted ? 'hosted' : server, device: device.id })),
      ]
    }),
  )
}

async function askForKeys(sock: WASocket, jids: readonly string[]): Promise<void> {
  const answer = await sock.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })) }],
  })
  await parseAndInjectE2ESessions(usableKeys(answer), sock.signalRepository)
}

/**
 * A device without keys must not stop the others: where WhatsApp refuses the whole question, each
 * is asked for alone.
 */
export async function beginSessions(sock: WASocket, jids: readonly string[]): Promise<void> {
  try {
    await askForKeys(sock, jids)
  } catch (error) {
    if (jids.length === 1 || refusalOf(error) !== 406) throw error
    for (const jid of jids) await askForKeys(sock, [jid]).catch(() => undefined)
  }
}

/**
 * Makes sure that the library has somebody to encrypt for, and puts only those into its cache:
 * without a device of the recipient it would write a message that reaches no one, without
 * complaint; and it would stop at the first device without keys. Those are asked for again when the
 * list is next read.
 * @throws whatever went wrong; nothing was sent
 */
export async function prepareDevices(lookUps: LookUps, sock: WASocket, cache: DeviceCache, to: Address): Promise<void> {
  const { me } = sock.authState.creds
  const [user, ownUser] = [userOf(to.jid), userOf(to.ownJid)]
  if (cache.isFresh(user) && cache.isFresh(ownUser)) return
  // The own devices are always asked for by number: by LID the list may be empty.
  const ownPn = jidNormalizedUser(me?.id)
  const lists = await askForDevices(lookUps, sock, [...new Set([ownPn, to.jid])])
  const listed = lists.get(userOf(ownPn)) ?? []
  const self = jidDecode(to.form === 'lid' ? me?.lid : me?.id)
  const own = (to.form === 'lid' ? asLid(listed, ownUser) : listed).filter(
    ({ device }) => device !== (self?.device ?? 0),
  )
  const theirs = user === ownUser ? own : (lists.get(user) ?? [])
  if (theirs.length === 0) {
    // The number may be somebody else's by now: the next attempt has the new LID.
    if (to.form === 'lid') await askForNumber(lookUps, sock, userOf(to.pnJid))
    throw new Error('WhatsApp named no device of this number')
  }

  const all = [...new Set([...own, ...theirs])].filter((device) => !isHosted(device))
  const hasSession = await sessionsOf(sock, all)
  const without = all.filter((device) => !hasSession.has(device))
  if (without.length > 0)
    await beginSessions(
      sock,
      without.map((device) => wireJid(device, to, userOf(ownPn), me?.lid)),
    )
  const now = without.length > 0 ? await sessionsOf(sock, all) : hasSession
  const left = reachable(theirs, (device) => now.has(device))
  if (left === null) throw new Error('WhatsApp has no keys for any device of this number')
  cache.store.set(user, left)
  if (user !== ownUser) cache.store.set(ownUser, reachable(own, (device) => now.has(device)) ?? [])
}

/** Keys are asked for by LID wherever it is known: sessions are kept under it. */
function wireJid(device: Device, to: Address, ownPnUser: string, ownLid: string | undefined): string {
  const lidUser = device.user === ownPnUser ? jidDecode(ownLid)?.user : to.lidUser
  return jidOfDevice(device.server === 'lid' || !lidUser ? device : { ...device, user: lidUser, server: 'lid' })
}

export async function sessionsOf(sock: WASocket, devices: readonly Device[]): Promise<Set<Device>> {
  const found = new Set<Device>()
  for (const device of devices) {
    if ((await sock.signalRepository.validateSession(jidOfDevice(device))).exists) found.add(device)
  }
  return found
}

// As long as the library keeps them.
const KEPT_FOR = 5 * MINUTE
// A look-up that is older is made again before a message is sent, so that it does not expire on the
// way.
const FRESH_FOR = 4 * MINUTE
const MOST_RECIPIENTS = 2_000

interface Entry {
  devices: unknown
  at: number
}

export type DeviceCache = ReturnType<typeof createDeviceCache>

/**
 * The devices of recipients, shared with the library. It is ours because the library, when it must
 * ask for devices and gets no answer, sends the message to no device and calls that sent.
 */
export function createDeviceCache(clock: Clock) {
  const entries = createBoundedMap<string, Entry>(MOST_RECIPIENTS)
  const agedAtMost = (user: string, ms: number): Entry | undefined => {
    const entry = entries.get(user)
    const age = clock.now() - (entry?.at ?? 0)
    // The clock may have been set back.
    return entry !== undefined && age >= 0 && age < ms ? entry : undefined
  }

  return {
    isFresh: (user: string): boolean => agedAtMost(user, FRESH_FOR) !== undefined,
    /** For the library. */
    store: {
      get: <T>(user: string): T | undefined => agedAtMost(user, KEPT_FOR)?.devices as T | undefined,
      set: <T>(user: string, devices: T): void => entries.set(user, { devices, at: clock.now() }),
      del: (user: string): void => entries.delete(user),
      flushAll: (): void => entries.clear(),
    },
  }
}
