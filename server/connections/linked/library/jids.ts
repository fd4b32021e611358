import { type AuthenticationCreds, jidDecode } from 'baileys'

export const pnJidOf = (phone: string): string => `${phone}@s.whatsapp.net`
export const lidJidOf = (user: string): string => `${user}@lid`
/** The part before the server and the device; empty where there is none. */
export const userOf = (jid: string | undefined): string => jidDecode(jid)?.user ?? ''

/** @param device absent or 0: the phone, whose address has no number */
export function withDevice(jid: string, device: number | undefined): string {
  const [user, server] = jid.split('@')
  return device ? `${user}:${device}@${server}` : jid
}

/** The users of the own account. */
export const ownUsers = ({ me }: AuthenticationCreds) => ({
  pn: jidDecode(me?.id)?.user,
  lid: jidDecode(me?.lid)?.user,
})

export function isOwnDevice(jid: string, creds: AuthenticationCreds): boolean {
  const user = jidDecode(jid)?.user
  const { pn, lid } = ownUsers(creds)
  return user !== undefined && [pn, lid].includes(user)
}

export const isOwnPhone = (jid: string, creds: AuthenticationCreds): boolean =>
  isOwnDevice(jid, creds) && (jidDecode(jid)?.device ?? 0) === 0
