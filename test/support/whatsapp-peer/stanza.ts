import { type BinaryNode, encodeBigEndian, S_WHATSAPP_NET } from 'baileys'

type Attributes = Record<string, string | undefined>

export function stanza(tag: string, attributes: Attributes = {}, content?: BinaryNode['content']): BinaryNode {
  const attrs: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) attrs[name] = value
  return content === undefined ? { tag, attrs } : { tag, attrs, content }
}

export const children = (node: BinaryNode | undefined): BinaryNode[] =>
  Array.isArray(node?.content) ? node.content : []

export const child = (node: BinaryNode | undefined, tag: string) => children(node).find((one) => one.tag === tag)

/** Returns an attribute. Any may be missing, despite the library's type. */
export const attribute = (node: BinaryNode, name: string): string | undefined => node.attrs[name]

/** Returns a child's content as bytes. @throws if the client's stanza lacks it */
export function childBytes(node: BinaryNode | undefined, tag: string): Buffer {
  const content = child(node, tag)?.content
  if (content === undefined || Array.isArray(content)) throw new Error(`<${node?.tag}> lacks <${tag}>`)
  return Buffer.from(content)
}

export const result = (query: BinaryNode, content?: BinaryNode[]) =>
  stanza('iq', { from: S_WHATSAPP_NET, type: 'result', id: query.attrs.id }, content)

export const queryError = (query: BinaryNode, code: number, text: string) =>
  stanza('iq', { from: S_WHATSAPP_NET, type: 'error', id: query.attrs.id }, [
    stanza('error', { code: String(code), text }),
  ])

export const bigEndian = (value: number, length: number) => Buffer.from(encodeBigEndian(value, length))

export const seconds = (milliseconds: number) => String(Math.floor(milliseconds / 1000))
