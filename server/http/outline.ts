import type { IncomingMessage } from 'node:http'
import { isObject } from '../contract/fields.ts'
import { urlEncodedPairs } from '../lib/url-encoded.ts'

/** The shape of a call: names and forms, without any value of a member or header. */
export interface CallOutline {
  method: string
  /** Without the query. */
  path: string
  /** Names of the headers, in lower case. */
  headers: ReadonlySet<string>
  /** Names in the address, and in the body as far as its first bytes show them. */
  members: ReadonlySet<string>
  authorization: 'bearer' | 'basic' | 'bare' | null
}

/** Length of a body's beginning that is searched for names of members. Bytes. */
export const HEAD_BYTES = 4096
const MOST_NAMES = 40
const LONGEST_PATH = 256
const NAME = /^[\w.[\]-]{1,64}$/

export type OutlinedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/**
 * Returns the outline of a call.
 * @param body the parsed body, if it could be parsed
 * @param head the first bytes of the body, used if it could not be parsed
 */
export function outlineOf(req: OutlinedRequest, body: unknown, head: Buffer): CallOutline {
  const { method = '', url = '', headers } = req
  const [path = '', query = ''] = url.split('?', 2)
  const inBody = isObject(body) ? firstNames(body) : namesIn(head, headers['content-type'])
  return {
    method,
    path: path.slice(0, LONGEST_PATH),
    headers: new Set(Object.keys(headers)),
    members: new Set([...formNames(Buffer.from(query.slice(0, HEAD_BYTES), 'latin1')), ...inBody]),
    authorization: formOf(headers.authorization),
  }
}

function firstNames(body: Record<string, unknown>): string[] {
  const names: string[] = []
  for (const name in body) {
    if (names.length === MOST_NAMES) break
    if (NAME.test(name)) names.push(name)
  }
  return names
}

function formOf(authorization: string | undefined): CallOutline['authorization'] {
  if (authorization === undefined) return null
  if (/^bearer /i.test(authorization)) return 'bearer'
  return /^basic /i.test(authorization) ? 'basic' : 'bare'
}

/** Returns names of members in the beginning of a body that is JSON or a form. Pure. */
export function namesIn(head: Buffer, contentType = ''): string[] {
  const text = head.toString('latin1', 0, HEAD_BYTES)
  if (/^\s*\{/.test(text)) return jsonNames(text)
  if (/^multipart\//i.test(contentType)) {
    return [...text.matchAll(/; ?name="([^"\r\n]{1,64})"/g)]
      .slice(0, MOST_NAMES)
      .flatMap(([, name = '']) => named(name))
  }
  return /urlencoded/i.test(contentType) || contentType === '' ? formNames(head.subarray(0, HEAD_BYTES)) : []
}

const named = (name: string): string[] => (NAME.test(name) ? [name] : [])

const formNames = (bytes: Buffer): string[] => urlEncodedPairs(bytes, MOST_NAMES).flatMap(([name]) => named(name))

/** Returns the names of the outermost object of JSON text, which may be cut off anywhere. */
function jsonNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (let at = 0; at < text.length && names.length < MOST_NAMES; at += 1) {
    const sign = text[at]
    if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
    else if (sign === '"') {
      const end = endOfText(text, at + 1)
      // Only a name is followed by a colon.
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 8))) names.push(...named(text.slice(at + 1, end)))
      at = end
    }
  }
  return names
}

function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
  }
  return text.length
}

/** One way in which programs call a gateway. A call fits if it has all that the shape names. */
export interface Shape {
  /** Page or program that shows this way of calling. */
  source: string
  methods: readonly string[]
  path: RegExp
  /** Names that the call must have; of an inner list, one name. */
  members?: readonly (string | readonly string[])[]
  /** Places that can carry the key; the call must have one of them. */
  key?: readonly (`header ${string}` | `member ${string}` | NonNullable<CallOutline['authorization']>)[]
}

/** Returns a function that is true for calls with one of the shapes. Pure. */
export const isOneOf =
  (shapes: readonly Shape[]) =>
  (call: CallOutline): boolean =>
    shapes.some((shape) => hasShape(call, shape))

function hasShape(call: CallOutline, { methods, path, members = [], key }: Shape): boolean {
  if (!methods.includes(call.method) || !path.test(call.path)) return false
  const has = (wanted: string | readonly string[]) =>
    typeof wanted === 'string' ? call.members.has(wanted) : wanted.some((name) => call.members.has(name))
  return members.every(has) && (key === undefined || key.some((place) => hasKey(call, place)))
}

function hasKey(call: CallOutline, place: string): boolean {
  const [kind = '', name = ''] = place.split(' ')
  if (kind === 'header') return call.headers.has(name)
  return kind === 'member' ? call.members.has(name) : call.authorization === kind
}

/** Another gateway, recognised by the outlines of the calls of programs written for it. */
export interface Gateway {
  /** Name that people use, the same in every language. */
  name: string
  /** Setting and path that let its programs in. Null: Kurir does not answer as this gateway. */
  mouth: { switch: string; path: string } | null
  looksLike(call: CallOutline): boolean
}

const MOST_PARTS = 8
const LONGEST_PART = 32
const VERSION = /^(?:v\d{1,3}(?:\.\d{1,2})?|2010-04-01)$/

/** True for words such as `send-message`, `sendText`, `Messages.json`, but not for keys. */
const isWord = (part: string): boolean =>
  VERSION.test(part) || (part.length <= LONGEST_PART && /^[A-Za-z._-]*$/.test(part) && !/[A-Z][A-Z]|[A-Z]$/.test(part))

/** Hides the parts of a path that may be a number, a name or a key: `/v1/{…}/messages`. */
export function shownPath(url: string): string {
  const parts = (url.split('?', 1)[0] ?? '').slice(0, 512).split('/')
  const shown = parts.slice(1, MOST_PARTS + 1).map((part) => (isWord(part) ? part : '{…}'))
  return `/${shown.join('/')}${parts.length > MOST_PARTS + 1 ? '/…' : ''}`
}
