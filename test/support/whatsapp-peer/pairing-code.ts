import { randomBytes, randomUUID } from 'node:crypto'
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  hkdf,
  S_WHATSAPP_NET,
} from 'baileys'
import { type Contact, phoneOf } from './directory.ts'
import type { Registration } from './registration.ts'
import { child, childBytes, queryError, result, stanza } from './stanza.ts'

/** A client that shows a pairing code and waits for the owner to type it in. */
export interface Pairing {
  registration: Registration
  ref: Buffer
  wrappedKey: Buffer
  /**
   * Time at which the code was shown, in milliseconds since 1970. `tried`: how often it was typed.
   */
  shownAt: number
  tried: number
  /** Resolves with the client's last stanza. */
  finish: PromiseWithResolvers<BinaryNode>
}

const SALT = 32
const CTR_IV = 16
const GCM_IV = 12
const KEY = 32
const LIVES_MS = 180_000
const MOST_TRIES = 3

/** Client names that phones accept: a common browser on a real system. */
const DISPLAY = /^(Chrome|Firefox|Edge|Opera|Safari|IE|Chromium|Desktop) \((Windows|Mac OS|Linux|Ubuntu|Android|iOS)\)$/
/** The reference clients send this byte, not a text. */
const NONCE = Buffer.from([0])
const PLATFORM = /^[1-9]$/

/**
 * Matches clients that show a pairing code with phone owners, by the phone number that the client
 * named.
 */
export function createPairings() {
  const shown = new Map<string, Pairing>()
  const owners = new Map<string, PromiseWithResolvers<Pairing>>()
  return {
    arrive(number: string, pairing: Pairing) {
      shown.set(number, pairing)
      owners.get(number)?.resolve(pairing)
      owners.delete(number)
    },
    async latest(number: string): Promise<Pairing> {
      const pairing = shown.get(number)
      if (pairing) return pairing
      const owner = owners.get(number) ?? Promise.withResolvers<Pairing>()
      owners.set(number, owner)
      return owner.promise
    },
    leave(number: string) {
      shown.delete(number)
    },
  }
}
export type Pairings = ReturnType<typeof createPairings>

/**
 * Answers the client's first stanza, `companion_hello`. Returns undefined if it is refused: with
 * 400 if phones do not accept the client's name, or with the error that the test set.
 */
export function beginPairing(
  registration: Registration,
  query: BinaryNode,
  { at, refusal, isStrict }: { at: number; refusal: number | undefined; isStrict: boolean },
): Pairing | undefined {
  const hello = child(query, 'link_code_companion_reg')
  const named = (tag: string) => childBytes(hello, tag).toString()
  if (refusal !== undefined) {
    registration.link.send(queryError(query, refusal, refusal === 429 ? 'rate-overlimit' : 'bad-request'))
    return undefined
  }
  const isListed = DISPLAY.test(named('companion_platform_display')) && PLATFORM.test(named('companion_platform_id'))
  if (!isListed || (isStrict && !childBytes(hello, 'link_code_pairing_nonce').equals(NONCE))) {
    registration.link.send(queryError(query, 400, 'bad-request'))
    return undefined
  }
  const pairing: Pairing = {
    registration,
    ref: randomBytes(16),
    wrappedKey: childBytes(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub'),
    shownAt: at,
    tried: 0,
    finish: Promise.withResolvers(),
  }
  registration.link.send(
    result(query, [
      stanza('link_code_companion_reg', { stage: 'companion_hello' }, [
        stanza('link_code_pairing_ref', {}, pairing.ref),
      ]),
    ]),
  )
  return pairing
}

/**
 * Plays the phone's part: both sides prove that they know the code and agree on the secret that a
 * QR code would have contained. Resolves with the secret; rejects if the code is wrong or too old.
 */
export async function agreeOnSecret(contact: Contact, pairing: Pairing, code: string, at: number): Promise<Buffer> {
  const phone = phoneOf(contact).signal.identity
  if (at - pairing.shownAt > LIVES_MS) throw new Error('the pairing code has expired')
  pairing.tried += 1
  if (pairing.tried > MOST_TRIES) throw new Error('the pairing code was tried too often')
  const { wrappedKey, ref, registration } = pairing
  const theirSalt = wrappedKey.subarray(0, SALT)
  const theirEphemeral = aesDecryptCTR(
    wrappedKey.subarray(SALT + CTR_IV),
    await derivePairingCodeKey(code, theirSalt),
    wrappedKey.subarray(SALT, SALT + CTR_IV),
  )

  const ephemeral = Curve.generateKeyPair()
  const salt = randomBytes(SALT)
  const iv = randomBytes(CTR_IV)
  const wrapped = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), iv)
  registration.link.send(
    stanza('notification', { from: S_WHATSAPP_NET, type: 'link_code_companion_reg', id: randomUUID() }, [
      stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
        stanza('link_code_pairing_ref', {}, ref),
        stanza('primary_identity_pub', {}, Buffer.from(phone.public)),
        stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, Buffer.concat([salt, iv, wrapped])),
      ]),
    ]),
  )

  const query = await pairing.finish.promise
  const shared = Curve.sharedKey(ephemeral.private, theirEphemeral)
  const theirIdentity = childBytes(child(query, 'link_code_companion_reg'), 'companion_identity_public')
  const random = openKeyBundle(query, shared).subarray(2 * KEY)
  registration.link.send(result(query))
  const material = Buffer.concat([shared, Curve.sharedKey(phone.private, theirIdentity), random])
  return Buffer.from(hkdf(material, KEY, { info: 'adv_secret' }))
}

function openKeyBundle(query: BinaryNode, shared: Buffer): Buffer {
  const wrapped = childBytes(child(query, 'link_code_companion_reg'), 'link_code_pairing_wrapped_key_bundle')
  const salt = wrapped.subarray(0, SALT)
  const key = Buffer.from(hkdf(shared, KEY, { salt, info: 'link_code_pairing_key_bundle_encryption_key' }))
  try {
    return aesDecryptGCM(wrapped.subarray(SALT + GCM_IV), key, wrapped.subarray(SALT, SALT + GCM_IV), Buffer.alloc(0))
  } catch (cause) {
    throw new Error('the pairing code is another one', { cause })
  }
}
