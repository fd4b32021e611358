import type { BinaryNode } from 'baileys'
import { verifySignature } from 'libsignal/src/curve.js'
import { parseJid } from './address.ts'
import type { Companion, Directory } from './directory.ts'
import type { LookUpFault } from './faults.ts'
import { answerGroup, answerParticipating } from './group-queries.ts'
import type { Groups } from './groups.ts'
import { answerKeys, publicKeyOf } from './key-bundle.ts'
import { answerMex } from './mex.ts'
import { answerProps } from './props.ts'
import { answerSettings } from './settings.ts'
import { attribute, child, childBytes, children, queryError, result, stanza } from './stanza.ts'
import { answerUsync } from './usync.ts'

export interface QueryContext {
  query: BinaryNode
  companion: Companion
  directory: Directory
  groups: Groups
  /** Media hosts, best first. */
  mediaHosts: readonly string[]
  droppedQueries: ReadonlySet<string>
  fewKeys: boolean
  lookUpFault: LookUpFault | undefined
  unlink(companion: Companion): void
  now(): number
}

type Answer = (context: QueryContext) => BinaryNode

const KEY_TYPE = Buffer.from([5])

const ok: Answer = ({ query }) => result(query)

const uploadKeys: Answer = ({ query, companion }) => {
  companion.oneTime.push(...children(child(query, 'list')).map(publicKeyOf))
  return result(query)
}

const rotateSignedKey: Answer = ({ query, companion }) => {
  const key = child(child(query, 'rotate'), 'skey')
  if (!key) return queryError(query, 400, 'bad-request')
  const signed = { ...publicKeyOf(key), signature: childBytes(key, 'signature') }
  const identity = Buffer.concat([KEY_TYPE, companion.identity])
  if (!verifySignature(identity, Buffer.concat([KEY_TYPE, signed.value]), signed.signature)) {
    return queryError(query, 406, 'not-acceptable')
  }
  const isAgain = signed.id === companion.signed.id && signed.value.equals(companion.signed.value)
  if (signed.id <= companion.signed.id && !isAgain) return queryError(query, 409, 'conflict')
  companion.signed = signed
  return result(query)
}

const mediaConnection: Answer = ({ query, mediaHosts }) => {
  const hosts = mediaHosts.map((hostname, index) =>
    stanza('host', { hostname, type: index === 0 ? 'primary' : 'fallback' }),
  )
  return result(query, [stanza('media_conn', { auth: 'peer', ttl: '3600', auth_ttl: '3600' }, hosts)])
}

/** Records the tokens that the account issues to people, by LID or number. */
const issueTokens: Answer = ({ query, companion, directory, now }) => {
  const { account } = companion.contact
  for (const token of children(child(query, 'tokens'))) {
    const address = attribute(token, 'jid') ?? ''
    const found = directory.find(address)
    const seconds = Number(attribute(token, 't'))
    const isWrong = attribute(token, 'type') !== 'trusted_contact' || !(seconds > 0) || seconds * 1000 > now() + 60_000
    if (found?.device !== 0 || found.contact === companion.contact || isWrong) {
      return queryError(query, 400, 'bad-request')
    }
    account.issued.push({ to: found.contact, address, at: seconds * 1000 })
  }
  return result(query)
}

/** Numbers of keys that a client uploads: 812 if none is left, five if few are. */
const FIRST_KEYS = 812
const FEW_KEYS = 5

const countKeys: Answer = ({ query, companion, fewKeys }) => {
  const kept = companion.oneTime.length
  const said = !fewKeys ? kept : kept === 0 ? 1 : kept + FIRST_KEYS - FEW_KEYS
  return result(query, [stanza('count', { value: String(said) })])
}

/** Removes a companion; a client may remove only itself. */
const removeCompanion: Answer = ({ query, companion, unlink }) => {
  const address = parseJid(child(query, 'remove-companion-device')?.attrs.jid)
  if (address?.device !== companion.device) return queryError(query, 403, 'forbidden')
  unlink(companion)
  return result(query)
}

/** Answers by namespace and first child, as in `encrypt key`. */
const answers = {
  'usync usync': (context) => answerUsync(context),
  'encrypt count': countKeys,
  'encrypt registration': uploadKeys,
  'encrypt digest': ({ query }) => result(query, [stanza('digest')]),
  'encrypt rotate': rotateSignedKey,
  'encrypt key': ({ query, directory }) => answerKeys(query, directory),
  'passive active': ok,
  'passive passive': ok,
  'abt props': ({ query, companion }) => answerProps(query, companion.contact.account),
  'privacy privacy': ({ query }) => result(query, [stanza('privacy')]),
  'privacy tokens': issueTokens,
  'w:mex query': ({ query, companion, droppedQueries, now }) =>
    answerMex(query, companion.contact.account, droppedQueries, now()),
  'w:p ping': ok,
  'w:stats add': ok,
  'w:m media_conn': mediaConnection,
  'w:sync:app:state sync': ({ query, companion }) => answerSettings(query, companion.contact.account),
  'w:profile:picture picture': ({ query }) => queryError(query, 404, 'item-not-found'),
  'urn:xmpp:whatsapp:dirty clean': ok,
  'md remove-companion-device': removeCompanion,
  'w:g2 participating': (context) => answerParticipating(context),
  'w:g2 query': (context) => answerGroup(context),
  blocklist: ({ query }) => result(query, [stanza('list')]),
} satisfies Record<string, Answer>
export type QueryKind = keyof typeof answers
const byKind = new Map<string, Answer>(Object.entries(answers))

export const queryKind = ({ attrs, content }: BinaryNode) => {
  const first = Array.isArray(content) ? content[0]?.tag : undefined
  return first ? `${attrs.xmlns} ${first}` : String(attrs.xmlns)
}

/** Returns the answer to a linked client's query; undefined if its kind is not implemented. */
export const answerQuery = (context: QueryContext): BinaryNode | undefined =>
  byKind.get(queryKind(context.query))?.(context)

export const isQuery = ({ tag, attrs }: BinaryNode) => tag === 'iq' && (attrs.type === 'get' || attrs.type === 'set')
