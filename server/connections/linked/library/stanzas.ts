import {
  type AuthenticationCreds,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  jidDecode,
  type WASocket,
} from 'baileys'

export const pnJidOf = (phone: string): string => `${phone}@s.whatsapp.net`
export const lidJidOf = (user: string): string => `${user}@lid`
/** Returns the part of a jid before the device and the server; '' if there is none. */
export const userOf = (jid: string | undefined): string => jidDecode(jid)?.user ?? ''

/** @param device 0 or undefined: the phone, whose address has no device number */
export function withDevice(jid: string, device: number | undefined): string {
  const [user, server] = jid.split('@')
  return device ? `${user}:${device}@${server}` : jid
}

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

export function childrenOf(node: BinaryNode | undefined, tag?: string): BinaryNode[] {
  const children = Array.isArray(node?.content) ? node.content : []
  return tag === undefined ? children : children.filter((child) => child.tag === tag)
}

export const childOf = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined =>
  childrenOf(node).find((child) => child.tag === tag)

/**
 * Returns the phone's signed identity of this client, which every message that begins a session
 * must carry.
 */
export function identityOf({ authState }: WASocket): BinaryNode[] {
  const { account } = authState.creds
  return account === undefined
    ? []
    : [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
}
