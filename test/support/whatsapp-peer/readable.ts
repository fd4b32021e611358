import type { BinaryNode } from 'baileys'
import type { WhatsAppPeer } from './index.ts'
import { children } from './stanza.ts'

/** Attributes and fields that differ in every run. */
const TIMES = /^(t|.*timestamp)$/i
const DROPPED = new Set(['sid'])
/**
 * Left out, because Baileys rc14 reads the message with its random padding and omits this node
 * whenever the padding is no field.
 */
const RANDOM = new Set(['reporting'])

const bytes = (content: Uint8Array): string => `‹${content.length} bytes›`
const indented = (lines: string[]): string[] => lines.map((line) => `  ${line}`)

/** Returns a function that names ids by order of appearance. */
export function createNames() {
  const known = new Map<string, string>()
  return (id: string): string => {
    const name = known.get(id) ?? `‹id ${known.size + 1}›`
    known.set(id, name)
    return name
  }
}
export type Names = ReturnType<typeof createNames>

/** Reduces the address of an upload to its host and path type. */
const withoutUpload = (text: string): string =>
  text.replace(/^https:\/\/[^/]+/, 'https://‹host›').replace(/(\/mms\/[a-z-]+\/).*/, '$1…')

function describeField(name: string, value: unknown, names: Names): string[] {
  if (value === null || value === undefined) return []
  // The value begins with a random number of four or five bytes.
  if (name === 'axolotlSenderKeyDistributionMessage') return [`${name} ‹bytes›`]
  if (value instanceof Uint8Array) return [`${name} ${bytes(value)}`]
  if (Array.isArray(value)) return value.flatMap((one) => describeField(name, one, names))
  if (typeof value === 'object') {
    // 64-bit numbers are objects here.
    if ('low' in value && 'high' in value) return describeField(name, Number(String(value)), names)
    return [name, ...indented(describeFields(value, names))]
  }
  if (TIMES.test(name)) return [`${name} ‹time›`]
  // The id of the message that this one refers to.
  if (name === 'id' && typeof value === 'string') return [`${name} ${names(value)}`]
  return [`${name} ${typeof value === 'string' ? JSON.stringify(withoutUpload(value)) : String(value)}`]
}

/** Describes a decrypted message, one field per line. */
const describeFields = (message: object, names: Names): string[] =>
  Object.entries(message).flatMap(([name, value]) => describeField(name, value, names))

function describeAttributes(node: BinaryNode, names: Names): string {
  const said = Object.entries(node.attrs)
    .filter(([name, value]) => !DROPPED.has(name) && value !== undefined)
    // Query ids carry no information.
    .filter(([name]) => name !== 'id' || node.tag !== 'iq')
    .map(([name, value]) => {
      if (name === 'id') return ` ${name}=${names(value)}`
      return ` ${name}=${TIMES.test(name) ? '‹time›' : value}`
    })
  return said.join('')
}

/**
 * Describes content as text if it is ASCII, otherwise by its length; without length where that
 * varies.
 */
function describeContent(tag: string, content: string | Uint8Array): string {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString()
  if (/^[\x20-\x7e]+$/.test(text)) return JSON.stringify(text)
  return tag === 'device-identity' || typeof content === 'string' ? '‹bytes›' : bytes(content)
}

type Opener = (node: BinaryNode, jid: string) => string[]

function describeNode(node: BinaryNode, names: Names, open: Opener, jid: string): string[] {
  const to = node.attrs.jid ?? jid
  const head = `${node.tag}${describeAttributes(node, names)}`
  if (node.tag === 'enc') return [head, ...indented(open(node, to))]
  if (node.content === undefined || Array.isArray(node.content)) {
    const parts = children(node).filter(({ tag }) => !RANDOM.has(tag))
    return [head, ...parts.flatMap((one) => indented(describeNode(one, names, open, to)))]
  }
  return [`${head} ${describeContent(node.tag, node.content)}`]
}

/**
 * Returns stanzas as text, with decrypted messages in place of ciphertexts. Values that differ in
 * every run (ids, times, keys) are replaced, so that two recordings of one program are equal.
 */
export async function readable(stanzas: readonly BinaryNode[], peer: WhatsAppPeer): Promise<string> {
  const names = createNames()
  const arrivals = new Map<string, number>()
  const lines: string[] = []
  for (const stanza of stanzas) {
    const { id = '' } = stanza.attrs
    const contents = new Map<string, string[]>()
    for (const jid of devicesOf(stanza)) {
      const nth = arrivals.get(`${id} ${jid}`) ?? 0
      arrivals.set(`${id} ${jid}`, nth + 1)
      const message = (await openedBy(peer, stanza, jid))[nth]
      contents.set(jid, message ? describeFields(message, names) : ['‹not delivered›'])
    }
    const open: Opener = (_, jid) => contents.get(jid) ?? ['‹not for this device›']
    lines.push(...describeNode(stanza, names, open, stanza.attrs.to ?? ''), '')
  }
  return lines.join('\n')
}

/** Resolves with what a device got: in a group the sender key, or the message that it asked for. */
async function openedBy(peer: WhatsAppPeer, { attrs }: BinaryNode, jid: string): Promise<object[]> {
  const { id = '', to = '', participant } = attrs
  if (!to.endsWith('@g.us')) return peer.opened(jid, id)
  // The answer is the last message, after the one that could not be opened.
  if (participant !== undefined) return (await peer.opened(participant, id)).slice(-1)
  if (jid === to) return peer.openedInGroup(to, id)
  return peer.keysInGroup(jid, id)
}

/**
 * Returns the devices with a copy of the message. A copy outside of the list is for the address
 * itself.
 */
function devicesOf(stanza: BinaryNode): string[] {
  if (stanza.tag !== 'message') return []
  const direct = children(stanza).some(({ tag }) => tag === 'enc')
  const listed = children(children(stanza).find(({ tag }) => tag === 'participants'))
  return [...(direct ? [stanza.attrs.to ?? ''] : []), ...listed.map(({ attrs }) => attrs.jid ?? '')]
}
