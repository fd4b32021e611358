import type { BinaryNode } from 'baileys'
import { type Companion, type Contact, type Directory, jidOf } from './directory.ts'
import { bundleNode, publicKeyOf, takeBundle } from './key-bundle.ts'
import { attribute, child, childBytes, children, queryError, result, stanza } from './stanza.ts'

export interface QueryContext {
  query: BinaryNode
  companion: Companion
  directory: Directory
  mediaAddress: string
  unlink(companion: Companion): void
}

type Answer = (context: QueryContext) => BinaryNode

const ok: Answer = ({ query }) => result(query)

function userNode(asked: BinaryNode, wants: (protocol: string) => boolean, directory: Directory): BinaryNode {
  const phone = child(asked, 'contact')?.content
  const jid = attribute(asked, 'jid') ?? `${String(phone).replace('+', '')}@s.whatsapp.net`
  const contact = directory.find(jid)?.contact
  const known = contact?.onWhatsApp === true
  const answers: BinaryNode[] = []
  if (wants('contact')) answers.push(stanza('contact', { type: known ? 'in' : 'out' }))
  if (wants('devices'))
    answers.push(stanza('devices', {}, [stanza('device-list', {}, known ? deviceList(contact) : [])]))
  // The client stores the pair of what it asked for and this: to a LID there is no other LID.
  if (wants('lid') && known && jid.endsWith('@s.whatsapp.net')) {
    answers.push(stanza('lid', { val: jidOf(contact, true) }))
  }
  return stanza('user', { jid }, answers)
}

function deviceList(contact: Contact): BinaryNode[] {
  const ids = [...contact.devices.keys(), ...contact.companions.map(({ device }) => device)]
  return ids.map((id) => stanza('device', { id: String(id), 'key-index': String(id) }))
}

const usync: Answer = ({ query, directory }) => {
  const asked = child(query, 'usync')
  const protocols = children(child(asked, 'query')).map(({ tag }) => tag)
  const users = children(child(asked, 'list')).map((user) =>
    userNode(user, (protocol) => protocols.includes(protocol), directory),
  )
  return result(query, [stanza('usync', {}, [stanza('list', {}, users)])])
}

const keyBundles: Answer = ({ query, directory }) => {
  const users = children(child(query, 'key')).map(({ attrs: { jid = '' } }) => {
    const found = directory.find(jid)
    const bundle = found?.contact.onWhatsApp ? takeBundle(found.contact, found.device) : undefined
    return bundle ? bundleNode(jid, bundle) : stanza('user', { jid }, [stanza('error', { code: '404' })])
  })
  return result(query, [stanza('list', {}, users)])
}

const uploadKeys: Answer = ({ query, companion }) => {
  companion.oneTime.push(...children(child(query, 'list')).map(publicKeyOf))
  return result(query)
}

const rotateSignedKey: Answer = ({ query, companion }) => {
  const key = child(child(query, 'rotate'), 'skey')
  if (!key) return queryError(query, 400, 'bad-request')
  companion.signed = { ...publicKeyOf(key), signature: childBytes(key, 'signature') }
  return result(query)
}

const mediaConnection: Answer = ({ query, mediaAddress }) =>
  result(query, [stanza('media_conn', { auth: 'peer', ttl: '3600' }, [stanza('host', { hostname: mediaAddress })])])

const appState: Answer = ({ query }) => {
  const collections = children(child(query, 'sync')).map(({ attrs: { name, version } }) =>
    stanza('collection', { name, version, type: 'result' }),
  )
  return result(query, [stanza('sync', {}, collections)])
}

/** By namespace and first child, as in `encrypt key`. */
const answers = {
  'usync usync': usync,
  'encrypt count': ({ query, companion }) =>
    result(query, [stanza('count', { value: String(companion.oneTime.length) })]),
  'encrypt registration': uploadKeys,
  'encrypt digest': ({ query }) => result(query, [stanza('digest')]),
  'encrypt rotate': rotateSignedKey,
  'encrypt key': keyBundles,
  'passive active': ok,
  'passive passive': ok,
  'abt props': ({ query }) => result(query, [stanza('props')]),
  'privacy privacy': ({ query }) => result(query, [stanza('privacy')]),
  'privacy tokens': ok,
  'w:p ping': ok,
  'w:stats add': ok,
  'w:m media_conn': mediaConnection,
  'w:sync:app:state sync': appState,
  'w:profile:picture picture': ({ query }) => queryError(query, 404, 'item-not-found'),
  'urn:xmpp:whatsapp:dirty clean': ok,
  'md remove-companion-device': ({ query, companion, unlink }) => {
    unlink(companion)
    return result(query)
  },
  blocklist: ({ query }) => result(query, [stanza('list')]),
} satisfies Record<string, Answer>
export type QueryKind = keyof typeof answers
const byKind = new Map<string, Answer>(Object.entries(answers))

export const queryKind = ({ attrs, content }: BinaryNode) => {
  const first = Array.isArray(content) ? content[0]?.tag : undefined
  return first ? `${attrs.xmlns} ${first}` : String(attrs.xmlns)
}

/** Answers a query of a linked client, or `undefined` when no such query is known. */
export const answerQuery = (context: QueryContext): BinaryNode | undefined =>
  byKind.get(queryKind(context.query))?.(context)

export const isQuery = ({ tag, attrs }: BinaryNode) => tag === 'iq' && (attrs.type === 'get' || attrs.type === 'set')
