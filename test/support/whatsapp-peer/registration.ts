import { randomBytes, randomUUID } from 'node:crypto'
import {
  Curve,
  hmacSign,
  type KeyPair,
  proto,
  S_WHATSAPP_NET,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_DEVICE_SIG_PREFIX,
} from 'baileys'
import { verifySignature } from 'libsignal/src/curve.js'
import { type Account, isStrict } from './account.ts'
import { notifyOwnDevices } from './device-notifications.ts'
import { type Companion, type Contact, jidOf, phoneOf } from './directory.ts'
import type { Hello, Link } from './link.ts'
import { buildOf } from './login.ts'
import { createOutbox } from './outbox.ts'
import { createPasskeyCeremony, type PasskeyCeremony } from './passkey.ts'
import type { KeyBundle } from './signal.ts'
import { child, childBytes, seconds, stanza } from './stanza.ts'
import type { Versions } from './versions.ts'

/** WhatsApp Web shows the first code for a minute and each of the others for 20 s. */
const FIRST_REF_LIVES_MS = 60_000
const OTHER_REFS_LIVE_MS = 20_000

/** A client that wants to be linked and shows a ref in its QR code. */
export interface Registration {
  link: Link
  refs: string[]
  /** Time at which the client got the refs. */
  startedAt: number
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  signed: KeyBundle['signed']
  build: number
  /** Kind of browser in its device properties. */
  platform: number
  /** Set once WhatsApp demands a passkey. */
  ceremony: PasskeyCeremony | undefined
  /**
   * Resolves when the client acknowledges the stanza with this id; rejects if it hangs up first.
   */
  confirmation(id: string): Promise<void>
  /** Reports the client's acknowledgement; `gone` reports that it hung up. */
  confirmed(id: string): void
  gone(): void
}

/** Returns true once the next ref should be shown. */
export const isExpired = ({ refs, startedAt }: Registration, ref: string, now: number): boolean =>
  now >= startedAt + FIRST_REF_LIVES_MS + refs.indexOf(ref) * OTHER_REFS_LIVE_MS

export function beginRegistration(link: Link, hello: Hello, refCount: number, startedAt: number): Registration {
  const keys = hello.payload.devicePairingData
  if (!keys?.eIdent || !keys.eRegid || !keys.eSkeyId || !keys.eSkeyVal || !keys.eSkeySig) {
    throw new Error('a registration without keys')
  }
  const refs = Array.from({ length: refCount }, () => `2@${randomBytes(48).toString('base64')}`)
  link
    .ask(
      stanza('iq', { from: S_WHATSAPP_NET, type: 'set', id: randomUUID(), xmlns: 'md' }, [
        stanza(
          'pair-device',
          {},
          refs.map((ref) => stanza('ref', {}, Buffer.from(ref))),
        ),
      ]),
    )
    .catch(() => 'the client went away before it showed a code')
  const awaited = new Map<string, PromiseWithResolvers<void>>()
  return {
    link,
    refs,
    startedAt,
    noiseKey: hello.noiseKey,
    identity: Buffer.from(keys.eIdent),
    registrationId: Buffer.from(keys.eRegid).readUInt32BE(),
    signed: {
      id: Buffer.from(keys.eSkeyId).readUIntBE(0, 3),
      value: Buffer.from(keys.eSkeyVal),
      signature: Buffer.from(keys.eSkeySig),
    },
    build: buildOf(hello),
    platform: proto.DeviceProps.decode(keys.deviceProps ?? Buffer.of()).platformType ?? 0,
    ceremony: undefined,
    confirmation(id) {
      const answer = Promise.withResolvers<void>()
      awaited.set(id, answer)
      return answer.promise
    },
    confirmed: (id) => awaited.get(id)?.resolve(),
    gone() {
      for (const answer of awaited.values()) answer.reject(new Error('the client hung up'))
    },
  }
}

/**
 * Signs the client's identity key with the phone's (ADV). The secret and the phone's key verify it.
 */
function vouchFor(registration: Registration, phone: KeyPair, secret: Buffer, device: number, at: number) {
  const details = proto.ADVDeviceIdentity.encode({
    rawId: randomBytes(4).readUInt32BE(),
    timestamp: Math.floor(at / 1000),
    keyIndex: device,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish()
  const signed = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, registration.identity])
  const identity = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: phone.public,
    accountSignature: Curve.sign(phone.private, signed),
  }).finish()
  return {
    details,
    envelope: proto.ADVSignedDeviceIdentityHMAC.encode({
      details: identity,
      hmac: hmacSign(identity, secret),
    }).finish(),
  }
}

/** Returns the migration state in pair-success, which servers do not always send. */
function clientProps({ kind, clientProps: how }: Account) {
  if (how === 'missing' || kind === 'lenient 2024') return []
  if (how === 'unreadable') return [stanza('client-props', {}, Buffer.from([0xff, 0xff, 0xff]))]
  const migrated = kind === 'migrated'
  const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: migrated, isSyncdPureLidSession: migrated })
  return [stanza('client-props', {}, props.finish())]
}

function mustBeLinkable(contact: Contact, registration: Registration, versions: Versions) {
  if (!versions.internal.canLink(registration.build)) throw new Error("the phone says: couldn't link device")
  if (isStrict(contact.account) && contact.companions.length >= contact.account.mostCompanions) {
    throw new Error('the phone says: too many linked devices')
  }
}

interface Terms {
  secret: Buffer
  versions: Versions
  now(): number
}

/**
 * Links the client to the phone's account. Resolves with `passkey` if WhatsApp demands one first;
 * `registration.ceremony` continues then.
 */
export async function linkCompanion(
  contact: Contact,
  registration: Registration,
  terms: Terms,
): Promise<'linked' | 'passkey'> {
  mustBeLinkable(contact, registration, terms.versions)
  const { account } = contact
  if (account.passkey === undefined) return completeLink(contact, registration, terms)
  const ceremony = createPasskeyCeremony({
    registration,
    account,
    ...terms,
    link: (secret) => completeLink(contact, registration, { ...terms, secret }),
  })
  registration.ceremony = ceremony
  account.ceremony = ceremony
  await ceremony.ask()
  return 'passkey'
}

/** Waits for the client's signature, then asks it to reconnect (515), as WhatsApp does. */
async function completeLink(contact: Contact, registration: Registration, { secret, now }: Terms): Promise<'linked'> {
  const at = now()
  const phone = phoneOf(contact).signal.identity
  const device = contact.nextDevice
  contact.nextDevice += 1
  const { details, envelope } = vouchFor(registration, phone, secret, device, at)

  const answer = await registration.link.ask(
    stanza('iq', { from: S_WHATSAPP_NET, type: 'set', id: randomUUID(), t: seconds(at) }, [
      stanza('pair-success', {}, [
        stanza('device-identity', {}, envelope),
        ...(contact.account.isBusiness ? [stanza('biz', { name: contact.name })] : []),
        stanza('device', { jid: jidOf(contact, false, device), lid: jidOf(contact, true, device) }),
        stanza('platform', { name: contact.account.isBusiness ? 'smba' : 'android' }),
        ...clientProps(contact.account),
      ]),
    ]),
  )
  const signature = proto.ADVSignedDeviceIdentity.decode(
    childBytes(child(answer, 'pair-device-sign'), 'device-identity'),
  ).deviceSignature
  const signed = Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, registration.identity, phone.public])
  const identity = Buffer.concat([Buffer.from([5]), registration.identity])
  if (!signature || !verifySignature(identity, signed, Buffer.from(signature))) {
    throw new Error('the client did not sign for its new identity')
  }

  const { noiseKey, identity: identityKey, registrationId, signed: signedKey, build } = registration
  const companion: Companion = {
    ...{ contact, device, noiseKey, identity: identityKey, registrationId, signed: signedKey, build },
    oneTime: [],
    isNew: contact.account.history === 'sent',
    outbox: createOutbox(),
    link: undefined,
  }
  contact.companions.push(companion)
  notifyOwnDevices(contact, companion, at)
  registration.link.end(stanza('stream:error', { code: '515' }))
  return 'linked'
}
