import { createHash } from 'node:crypto'
import { type BinaryNode, jidEncode } from 'baileys'
import { childrenOf, userOf } from '../library/stanzas.ts'

/** A device as the library's cache holds it. */
export interface Device {
  user: string
  server: string
  device: number
}

export const jidOfDevice = ({ user, server, device }: Device): string =>
  // The library's type of servers is closed; what comes from it goes back to it.
  jidEncode(user, server as Parameters<typeof jidEncode>[1], device)

export interface KeyAnswer {
  /**
   * The answer with only those who gave keys; the library throws at the first other one, before it
   * uses any.
   */
  usable: BinaryNode
  /**
   * Devices without keys and why: 404 and 406 mean that the device is gone, others that there is no
   * answer now.
   */
  missing: { jid: string; code: string | undefined }[]
}

/** Splits the answer to `encrypt/key`. A missing one-time key is normal and counts as usable. */
export function splitKeyAnswer(answer: BinaryNode): KeyAnswer {
  const users = childrenOf(childrenOf(answer, 'list')[0], 'user')
  const isUsable = (user: BinaryNode): boolean =>
    childrenOf(user, 'error').length === 0 && ['identity', 'skey'].every((tag) => childrenOf(user, tag).length > 0)
  return {
    usable: { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users.filter(isUsable) }] },
    missing: users
      .filter((user) => !isUsable(user))
      .map((user) => ({ jid: user.attrs.jid ?? '', code: childrenOf(user, 'error')[0]?.attrs.code })),
  }
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
