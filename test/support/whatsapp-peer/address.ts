import { createHash } from 'node:crypto'
import { jidDecode, jidEncode } from 'baileys'

/** `6281…@s.whatsapp.net`, or `6281…:3@s.whatsapp.net` for a companion device. */
export const phoneJid = (number: string, device = 0) => jidEncode(number, 's.whatsapp.net', device)

export const lidJid = (lid: string, device = 0) => jidEncode(lid, 'lid', device)

/** Devices of business platforms have a server of their own. */
export const hostedJid = (user: string, lid: boolean, device: number) =>
  jidEncode(user, lid ? 'hosted.lid' : 'hosted', device)

/**
 * A LID is a number without meaning; ours follows from the phone number, so that a journal can be
 * read.
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
 * The address of a person or one of their devices; undefined for groups, lists and what is no
 * address.
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
