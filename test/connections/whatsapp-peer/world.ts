import { once } from 'node:events'
import {
  type AuthenticationState,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  jidDecode,
  type proto,
  type UserFacingSocketConfig,
} from 'baileys'
import { onTestFinished } from 'vitest'
import { type Client, connect, memoryAuth } from '../../support/plain-client.ts'
import { type AccountOptions, type PeerOptions, startWhatsAppPeer } from '../../support/whatsapp-peer/index.ts'

export const OWNER = '6281111111111'
export const CUSTOMER = '6281234567890'
export const pn = (number: string, device?: number) => `${number}${device ? `:${device}` : ''}@s.whatsapp.net`
export const lid = (user: string, device?: number) => `${user}${device ? `:${device}` : ''}@lid`

export interface RawMessage {
  to: string
  /** The devices to encrypt for. */
  participants: string[]
  id?: string
  attrs?: Record<string, string>
  nodes?: BinaryNode[]
  /** Without it WhatsApp does not take a message that begins a session. */
  deviceIdentity?: boolean
}

/** A stand-in and plain Baileys clients, so that its rules are shown without anything of the program. */
export async function createPlainWorld(options: PeerOptions = {}) {
  let time = Date.now()
  const peer = await startWhatsAppPeer({ now: () => time, ...options })
  onTestFinished(() => peer.close())

  function client(auth?: AuthenticationState, config?: Partial<UserFacingSocketConfig>): Client {
    const made = connect(peer, auth, config)
    onTestFinished(() => made.socket.end(undefined))
    return made
  }

  /** A linked client of the account, online. */
  async function linked(account: AccountOptions = {}, number = OWNER, config?: Partial<UserFacingSocketConfig>) {
    const phone = peer.phone(number, { history: 'withheld', ...account })
    const linking = client()
    await phone.scan(await linking.qr())
    await linking.closed
    const made = client(linking.auth, config)
    await made.open
    return { ...made, phone }
  }

  return {
    peer,
    client,
    linked,
    memoryAuth,
    /** The server's clock goes on; the clients' stays. */
    pass(ms: number) {
      time += ms
    },
    now: () => time,
  }
}
export type PlainWorld = Awaited<ReturnType<typeof createPlainWorld>>

/** The acknowledgement of a message that is about to be sent. */
export const acknowledgement = ({ socket }: Client, id: string): Promise<BinaryNode> =>
  new Promise((resolve) => socket.ws.on(`TAG:${id}`, (node: BinaryNode) => node.tag === 'ack' && resolve(node)))

let ids = 0
export function nextId(): string {
  ids += 1
  return `TEST${ids}`
}

const withId = (id: string, { attrs }: BinaryNode): { id: string; error?: string; phash?: string } => ({ id, ...attrs })

/** Sends a text as the library does; resolves with the acknowledgement's attributes. */
export async function sendText(client: Client, to: string, text: string, id = nextId()) {
  const acked = acknowledgement(client, id)
  await client.socket.relayMessage(to, { conversation: text }, { messageId: id })
  return withId(id, await acked)
}

/** Encrypts for exactly these devices and writes the stanza as it is given; resolves with the acknowledgement's attributes. */
export async function sendRaw(client: Client, message: RawMessage, content: proto.IMessage = { conversation: 'raw' }) {
  const { to, participants, id = nextId(), attrs = {}, nodes = [], deviceIdentity = true } = message
  const { socket, auth } = client
  const unique = [...new Set(participants)]
  await socket.assertSessions(unique)
  const made = await socket.createParticipantNodes(unique, content)
  const byJid = new Map(made.nodes.map((node) => [node.attrs.jid, node]))
  const list = participants.map((jid) => byJid.get(jid)).filter((node) => node !== undefined)
  const account = auth.creds.account
  const identity =
    deviceIdentity && account
      ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
      : []
  const acked = acknowledgement(client, id)
  await socket.sendNode({
    tag: 'message',
    attrs: { id, to, type: 'text', ...attrs },
    content: [{ tag: 'participants', attrs: {}, content: list }, ...identity, ...nodes],
  })
  return withId(id, await acked)
}

/** The next stanza of this kind, as the library's taps name it: `CB:notification,type:mex`. */
export async function heard({ socket }: Client, tap: string): Promise<BinaryNode> {
  const [node] = (await once(socket.ws, tap)) as [BinaryNode]
  return node
}

/** A node below others, by the tags that lead to it. */
export function find(node: BinaryNode | undefined, ...tags: string[]): BinaryNode | undefined {
  const [tag, ...rest] = tags
  if (tag === undefined || node === undefined) return node
  const children = Array.isArray(node.content) ? node.content : []
  return find(
    children.find((child) => child.tag === tag),
    ...rest,
  )
}

export const bytesOf = (node: BinaryNode | undefined): Buffer | undefined =>
  node?.content instanceof Uint8Array ? Buffer.from(node.content) : undefined

/** The client's own LID without its device. */
export const ownLid = ({ auth }: Client): string => lid(jidDecode(auth.creds.me?.lid)?.user ?? '')
