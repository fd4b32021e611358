import { createHash } from 'node:crypto'
import { jidDecode, jidEncode } from 'baileys'

/** `6281…@s.whatsapp.net`, or `6281…:3@s.whatsapp.net` for a companion device. */
export const phoneJid = (number: string, device = 0) => jidEncode(number, 's.whatsapp.net', device)

export const lidJid = (lid: string, device = 0) => jidEncode(lid, 'lid', device)

/** A LID is a number without meaning; ours follows from the phone number, so that a journal can be read. */
export const lidOf = (number: string) =>
  String(100_000_000_000_000 + (createHash('sha256').update(number).digest().readUIntBE(0, 6) % 899_999_999_999_999))

export interface Address {
  user: string
  device: number
  isLid: boolean
}

export function parseJid(jid: string | undefined): Address | undefined {
  const decoded = jid === undefined ? undefined : jidDecode(jid)
  if (!decoded?.user) return undefined
  return { user: decoded.user, device: decoded.device ?? 0, isLid: decoded.server === 'lid' }
}
