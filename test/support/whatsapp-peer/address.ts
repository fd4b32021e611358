import { createHash } from 'node:crypto'
import { jidDecode, jidEncode } from 'baileys'

/** Returns `6281…@s.whatsapp.net`, or `6281…:3@s.whatsapp.net` for a companion device. */
export const phoneJid = (number: string, device = 0) => jidEncode(number, 's.whatsapp.net', device)

export const lidJid = (lid: string, device = 0) => jidEncode(lid, 'lid', device)

/** Returns the address of a business platform's device, which has a server name of its own. */
export const hostedJid = (user: string, lid: boolean, device: number) =>
  jidEncode(user, lid ? 'hosted.lid' : 'hosted', device)

/**
 * Returns a LID, an opaque number. It is derived from the phone number, so that journals are the
 * same every time.
 */
export const lidOf = (number: string) =>
  String(100_000_000_000_000 + (createHash('sha256').update(number).digest().readUIntBE(0, 6) % 899_999_999_999_999))

export interface Address {
  user: string
  device: number
  isLid: boolean
  isHosted: boolean
}

/**
 * Parses the address of a person or a device. Returns undefined for groups, lists and anything
 * else.
 */
export function parseJid(jid: string | undefined): Address | undefined {
  const decoded = jid === undefined ? undefined : jidDecode(jid)
  if (!decoded?.user || !['s.whatsapp.net', 'lid', 'hosted', 'hosted.lid'].includes(decoded.server)) return undefined
  return {
    user: decoded.user,
    device: decoded.device ?? 0,
    isLid: decoded.server === 'lid' || decoded.server === 'hosted.lid',
    isHosted: decoded.server.startsWith('hosted'),
  }
}
