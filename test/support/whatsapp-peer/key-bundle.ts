import type { BinaryNode } from 'baileys'
import type { Companion, Contact } from './directory.ts'
import type { KeyBundle, PublicKey } from './signal.ts'
import { bigEndian, childBytes, stanza } from './stanza.ts'

const KEY_TYPE = Buffer.from([5])
const ID_LENGTH = 3

export const publicKeyOf = (node: BinaryNode): PublicKey => ({
  id: childBytes(node, 'id').readUIntBE(0, ID_LENGTH),
  value: childBytes(node, 'value'),
})

/** The keys of a client device as it uploaded them; each one-time key is given out once. */
const companionBundle = ({ registrationId, identity, signed, oneTime }: Companion): KeyBundle => ({
  registrationId,
  identity,
  signed,
  oneTime: oneTime.shift(),
})

/** What a sender needs to begin a session with a person's device; `undefined` when there is no such device. */
export function takeBundle(contact: Contact, device: number): KeyBundle | undefined {
  const companion = contact.companions.find((one) => one.device === device)
  return companion ? companionBundle(companion) : contact.devices[device]?.signal.bundle()
}

const keyNode = (tag: string, { id, value }: PublicKey, signature?: Buffer) =>
  stanza(tag, {}, [
    stanza('id', {}, bigEndian(id, ID_LENGTH)),
    stanza('value', {}, value),
    ...(signature ? [stanza('signature', {}, signature)] : []),
  ])

export const registrationNode = (registrationId: number) => stanza('registration', {}, bigEndian(registrationId, 4))

/** The keys alone, as a retry receipt bears them. */
export const keyNodes = ({ identity, signed, oneTime }: KeyBundle) => [
  stanza('type', {}, KEY_TYPE),
  stanza('identity', {}, identity),
  keyNode('skey', signed, signed.signature),
  ...(oneTime ? [keyNode('key', oneTime)] : []),
]

export const bundleNode = (jid: string, bundle: KeyBundle) =>
  stanza('user', { jid }, [registrationNode(bundle.registrationId), ...keyNodes(bundle)])
