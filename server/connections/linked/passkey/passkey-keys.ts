import { createCipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import { bytesToCrockford, proto } from 'baileys'
import { z } from 'zod'
import { type PasskeyAssertion, type PasskeyOptions, WHATSAPP_HOST } from '../../../contract/linking.ts'

// The cryptography of linking with a passkey, which WhatsApp calls "shortcake". whatsmeow
// pair-passkey.go and whatsapp-rust shortcake.rs agree on each line. All functions are pure.

/** Links by QR and by pairing code both call themselves Chrome. The key is bound to this type. */
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const hkdf = (key: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, 32))

/** Returns the key by which the phone recognises the program whose code it has scanned. */
export const handoffKey = (advSecret: Uint8Array): Buffer => hkdf(advSecret, '', 'shortcake-passkey-handoff-v1')

/** Encodes the ephemeral key and a commitment to the nonce. The nonce itself is sent later. */
export function prologue({ publicKey, nonce, ref }: { publicKey: Uint8Array; nonce: Uint8Array; ref: string }) {
  const identity = proto.CompanionEphemeralIdentity.encode({ publicKey, deviceType: DEVICE_TYPE, ref }).finish()
  return Buffer.from(
    proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash: sha256(identity, nonce) },
    }).finish(),
  )
}

export const handoffProof = (key: Uint8Array, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(payload).digest()

export interface PrimaryIdentity {
  publicKey: Uint8Array
  nonce: Uint8Array
}

/** @throws Error if the bytes have another form */
export function readPrimaryIdentity(bytes: Uint8Array): PrimaryIdentity {
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes)
  if (publicKey?.length !== 32 || nonce?.length !== 32) throw new Error('the phone has sent no key of 32 bytes')
  return { publicKey, nonce }
}

/** Returns the code to compare, `XXXX-XXXX`, as the phone shows it. */
export function comparedCode(nonce: Uint8Array, primary: PrimaryIdentity): string {
  const digest = sha256(nonce, primary.publicKey)
  const code = bytesToCrockford(Buffer.from(digest.subarray(0, 5).map((byte, n) => byte ^ (primary.nonce[n] ?? 0))))
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

export const requestKey = (shared: Uint8Array, ref: string): Buffer =>
  hkdf(shared, `Companion Pairing ${DEVICE_TYPE} with ref ${ref}`, 'Pairing Information Encryption Key')

export interface PairingRequest {
  noiseKey: Uint8Array
  identityKey: Uint8Array
  advSecret: Uint8Array
}

export function sealRequest(key: Uint8Array, iv: Uint8Array, request: PairingRequest): Buffer {
  const plain = proto.PairingRequest.encode({
    companionPublicKey: request.noiseKey,
    companionIdentityKey: request.identityKey,
    advSecret: request.advSecret,
  }).finish()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encryptedPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish())
}

const clientData = z.object({ type: z.literal('webauthn.get'), challenge: z.string(), origin: z.string() })

/** Faults of an assertion that Kurir sees without WhatsApp. */
export type PasskeyFault = 'unreadable' | 'other_origin' | 'other_challenge' | 'other_credential'

/**
 * Returns the fault for which WhatsApp would refuse an assertion; null: none. A faulty assertion
 * answers an older request or was made for another page (WebAuthn, "Verifying an Authentication
 * Assertion"). Pure.
 */
export function wrongWith({ id, rawId, response }: PasskeyAssertion, options: PasskeyOptions): PasskeyFault | null {
  const data = read(response.clientDataJSON)
  if (data === null || id !== rawId) return 'unreadable'
  if (!isWhatsApp(data.origin)) return 'other_origin'
  if (data.challenge !== options.challenge) return 'other_challenge'
  const allowed = options.allowCredentials
  return allowed.length === 0 || allowed.some((one) => one.id === id) ? null : 'other_credential'
}

function read(encoded: string): z.infer<typeof clientData> | null {
  try {
    return clientData.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
  } catch {
    return null
  }
}

const isWhatsApp = (origin: string): boolean =>
  origin.startsWith('https://') && WHATSAPP_HOST.test(origin.slice('https://'.length))
