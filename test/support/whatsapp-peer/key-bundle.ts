import type { BinaryNode } from 'baileys'
import type { Companion, Contact, Directory } from './directory.ts'
import type { KeyBundle, PublicKey } from './signal.ts'
import { bigEndian, child, childBytes, children, result, stanza } from './stanza.ts'

const KEY_TYPE = Buffer.from([5])
const ID_LENGTH = 3

export const publicKeyOf = (node: BinaryNode): PublicKey => ({
  id: childBytes(node, 'id').readUIntBE(0, ID_LENGTH),
  value: childBytes(node, 'value'),
})

/** Takes the keys that a client uploaded; each one-time key is given out once. */
const companionBundle = ({ registrationId, identity, signed, oneTime }: Companion): KeyBundle => ({
  registrationId,
  identity,
  signed,
  oneTime: oneTime.shift(),
})

/** Takes keys to begin a session with a device; undefined if there is no such device. */
export function takeBundle(contact: Contact, device: number): KeyBundle | undefined {
  const companion = contact.companions.find((one) => one.device === device)
  return companion ? companionBundle(companion) : contact.devices.get(device)?.signal.bundle()
}

const keyNode = (tag: string, { id, value }: PublicKey, signature?: Buffer) =>
  stanza(tag, {}, [
    stanza('id', {}, bigEndian(id, ID_LENGTH)),
    stanza('value', {}, value),
    ...(signature ? [stanza('signature', {}, signature)] : []),
  ])

export const registrationNode = (registrationId: number) => stanza('registration', {}, bigEndian(registrationId, 4))

/** Returns the keys without the device, as in a retry receipt. */
export const keyNodes = ({ identity, signed, oneTime }: KeyBundle) => [
  stanza('type', {}, KEY_TYPE),
  stanza('identity', {}, identity),
  keyNode('skey', signed, signed.signature),
  ...(oneTime ? [keyNode('key', oneTime)] : []),
]

/** Returns the keys in a client's retry receipt, which has them from the second one on. */
export function keysInReceipt(receipt: BinaryNode): KeyBundle | undefined {
  const keys = child(receipt, 'keys')
  const [signed, oneTime] = ['skey', 'key'].map((tag) => keys && child(keys, tag))
  if (!keys || !signed) return undefined
  return {
    registrationId: childBytes(receipt, 'registration').readUInt32BE(),
    identity: childBytes(keys, 'identity'),
    signed: { ...publicKeyOf(signed), signature: childBytes(signed, 'signature') },
    oneTime: oneTime && publicKeyOf(oneTime),
  }
}

const bundleNode = (jid: string, bundle: KeyBundle) =>
  stanza('user', { jid }, [registrationNode(bundle.registrationId), ...keyNodes(bundle)])

const NOT_ACCEPTABLE: Readonly<Record<number, string>> = { 404: 'item-not-found', 406: 'not-acceptable' }

/** Answers `encrypt/key`. Each user has an answer or an error of its own. */
export function answerKeys(query: BinaryNode, directory: Directory): BinaryNode {
  const users = children(child(query, 'key')).map(({ attrs: { jid = '' } }) => {
    const found = directory.find(jid)
    const refused = found?.contact.devices.get(found.device)?.keysRefused
    const bundle =
      found?.contact.onWhatsApp && refused === undefined ? takeBundle(found.contact, found.device) : undefined
    if (bundle) return bundleNode(jid, bundle)
    const code = refused ?? 404
    return stanza('user', { jid }, [stanza('error', { code: String(code), text: NOT_ACCEPTABLE[code] })])
  })
  return result(query, [stanza('list', {}, users)])
}
