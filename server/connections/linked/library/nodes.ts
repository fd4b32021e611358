import { type BinaryNode, encodeSignedDeviceIdentity, type WASocket } from 'baileys'

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
