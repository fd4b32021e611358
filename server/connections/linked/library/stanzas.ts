import {
  type AuthenticationCreds,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  jidDecode,
  type WASocket,
} from 'baileys'

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

/** The nodes inside a stanza; with a tag, those of this name. */
export function childrenOf(node: BinaryNode | undefined, tag?: string): BinaryNode[] {
  const children = Array.isArray(node?.content) ? node.content : []
  return tag === undefined ? children : children.filter((child) => child.tag === tag)
}

export const childOf = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined =>
  childrenOf(node).find((child) => child.tag === tag)

/** The phone's word for this client, which a message that begins a session needs. */
export function identityOf({ authState }: WASocket): BinaryNode[] {
  const { account } = authState.creds
  return account === undefined
    ? []
    : [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
}
