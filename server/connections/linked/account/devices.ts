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
  // The library's type of `server` is a closed union. This value came from the library itself.
  jidEncode(user, server as Parameters<typeof jidEncode>[1], device)

/**
 * Returns the answer to `encrypt/key` with only the users that have keys, because the library
 * throws at the first user without keys, before it uses any. A missing one-time key is normal.
 */
export function usableKeys(answer: BinaryNode): BinaryNode {
  const users = childrenOf(childrenOf(answer, 'list')[0], 'user')
  const isUsable = (user: BinaryNode): boolean =>
    childrenOf(user, 'error').length === 0 && ['identity', 'skey'].every((tag) => childrenOf(user, tag).length > 0)
  return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users.filter(isUsable) }] }
}

/**
 * True for a hosted device. Hosted devices belong to business platforms, and WhatsApp Web leaves
 * them out of direct messages.
 */
export const isHosted = ({ device, server }: Device): boolean =>
  device === 99 || server === 'hosted' || server === 'hosted.lid'

/**
 * Returns the devices to write to: all with a session, except hosted devices. Null: none is left.
 * For a recipient this means that a message would reach only this account's own devices.
 */
export function reachable(devices: readonly Device[], hasSession: (device: Device) => boolean): Device[] | null {
  const left = devices.filter((device) => !isHosted(device) && hasSession(device))
  return left.length === 0 ? null : left
}

/** Returns devices that were listed by phone number as devices of the LID. */
export const asLid = (devices: readonly Device[], lidUser: string): Device[] =>
  devices.map(({ device, server }) => ({
    user: lidUser,
    server: server.startsWith('hosted') ? 'hosted.lid' : 'lid',
    device,
  }))

/**
 * Returns the hash of the devices that a message was written to, in the format of acknowledgements:
 * `2:` and six bytes in base64. whatsmeow 33cfac51 and whatsapp-rust 1489b7da agree on it. The
 * library's own function hashes other strings to another length.
 */
export function participantHash(devices: readonly Device[]): string {
  const names = devices.map(({ user, device, server }) => `${user}.0:${device}@${server}`).sort()
  const digest = createHash('sha256').update(names.join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64').replaceAll('=', '')}`
}

/**
 * True if the hash of an acknowledgement says that the list of devices is out of date. whatsmeow
 * and whatsapp-rust differ in whether the sending device counts, so either hash counts as
 * agreement. An outdated list is never a reason to send the message again.
 */
export function isOutdated(acknowledged: string | undefined, written: readonly Device[], own: Device): boolean {
  if (acknowledged === undefined) return false
  return ![participantHash(written), participantHash([...written, own])].includes(acknowledged)
}

/**
 * Returns the users whose device lists a notification makes worthless. `all`: the notification is
 * an update, which carries only a hash and comes from this account's own address. Undefined: the
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
 * Asks WhatsApp for the devices of people; resolves with the devices by user. The library's own
 * function is not used, because it would begin every session again.
 * @throws LookUpRefused, or Error if WhatsApp did not answer
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
          // A companion device without a key index has been unlinked.
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
 * Asks for the keys of devices and begins sessions with them. If WhatsApp refuses the whole
 * question (406), asks for each device alone, so that one without keys does not stop the others.
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
 * Fills the library's cache of devices before a message, with only the devices that have a session.
 * Without a device of the recipient, the library would write a message that reaches nobody and
 * report no error; and it would stop at the first device without keys. Keys that are missing are
 * asked for again when the list is next read.
 * @throws any error on the way; nothing was sent
 */
export async function prepareDevices(lookUps: LookUps, sock: WASocket, cache: DeviceCache, to: Address): Promise<void> {
  const { me } = sock.authState.creds
  const [user, ownUser] = [userOf(to.jid), userOf(to.ownJid)]
  if (cache.isFresh(user) && cache.isFresh(ownUser)) return
  // Own devices are always asked for by number, because by LID the list may be empty.
  const ownPn = jidNormalizedUser(me?.id)
  const lists = await askForDevices(lookUps, sock, [...new Set([ownPn, to.jid])])
  const listed = lists.get(userOf(ownPn)) ?? []
  const self = jidDecode(to.form === 'lid' ? me?.lid : me?.id)
  const own = (to.form === 'lid' ? asLid(listed, ownUser) : listed).filter(
    ({ device }) => device !== (self?.device ?? 0),
  )
  const theirs = user === ownUser ? own : (lists.get(user) ?? [])
  if (theirs.length === 0) {
    // The number may belong to somebody else by now. Asking gives the next attempt the new LID.
    if (to.form === 'lid') await askForNumber(lookUps, sock, userOf(to.pnJid))
    throw new Error('WhatsApp named no device of this number')
  }

  const all = [...new Set([...own, ...theirs])].filter((device) => !isHosted(device))
  const jids = all.map(jidOfDevice)
  const before = await sessionsOf(sock, jids)
  const without = all.filter((device) => !before.has(jidOfDevice(device)))
  if (without.length > 0)
    await beginSessions(
      sock,
      without.map((device) => wireJid(device, to, userOf(ownPn), me?.lid)),
    )
  const now = without.length > 0 ? await sessionsOf(sock, jids) : before
  const hasSession = (device: Device): boolean => now.has(jidOfDevice(device))
  const left = reachable(theirs, hasSession)
  if (left === null) throw new Error('WhatsApp has no keys for any device of this number')
  cache.store.set(user, left)
  if (user !== ownUser) cache.store.set(ownUser, reachable(own, hasSession) ?? [])
}

/** Returns the jid to ask keys for: by LID if known, because sessions are kept by LID. */
function wireJid(device: Device, to: Address, ownPnUser: string, ownLid: string | undefined): string {
  const lidUser = device.user === ownPnUser ? jidDecode(ownLid)?.user : to.lidUser
  return jidOfDevice(device.server === 'lid' || !lidUser ? device : { ...device, user: lidUser, server: 'lid' })
}

/** Resolves with those of the devices that have a session. */
export async function sessionsOf(sock: WASocket, jids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const jid of jids) if ((await sock.signalRepository.validateSession(jid)).exists) found.add(jid)
  return found
}

// The library keeps device lists for the same time.
const KEPT_FOR = 5 * MINUTE
// A list older than this is read again before a message, so that it does not expire on the way.
const FRESH_FOR = 4 * MINUTE
const MOST_RECIPIENTS = 2_000

interface Entry {
  devices: unknown
  at: number
}

export type DeviceCache = ReturnType<typeof createDeviceCache>

/**
 * Creates the cache of recipients' devices, which the library shares. Kurir fills it first, because
 * a library that has to ask for devices and gets no answer sends the message to no device and
 * calls that sent.
 */
export function createDeviceCache(clock: Clock) {
  const entries = createBoundedMap<string, Entry>(MOST_RECIPIENTS)
  const agedAtMost = (user: string, ms: number): Entry | undefined => {
    const entry = entries.get(user)
    const age = clock.now() - (entry?.at ?? 0)
    // A negative age means that the clock was set back.
    return entry !== undefined && age >= 0 && age < ms ? entry : undefined
  }

  return {
    isFresh: (user: string): boolean => agedAtMost(user, FRESH_FOR) !== undefined,
    /** The cache as the library expects it. */
    store: {
      get: <T>(user: string): T | undefined => agedAtMost(user, KEPT_FOR)?.devices as T | undefined,
      set: <T>(user: string, devices: T): void => entries.set(user, { devices, at: clock.now() }),
      del: (user: string): void => entries.delete(user),
      flushAll: (): void => entries.clear(),
    },
  }
}
