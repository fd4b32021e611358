import { createHash, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'

const bytes = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .transform((text) => Buffer.from(text, 'base64url'))

/** Strict: only the members that WhatsApp Web writes. */
const assertion = z.strictObject({
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
  response: z.strictObject({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullable(),
  }),
})
const clientData = z.object({
  type: z.literal('webauthn.get'),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.literal(false).optional(),
})

export interface Passkey {
  id: string
  publicKey: KeyObject
}

export interface PasskeyRequest {
  challenge: string
  rpId: string
  allowed: string[]
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

const must = (holds: boolean, rule: string) => {
  if (!holds) throw new Error(rule)
}

/**
 * Verifies an assertion by WebAuthn Level 3 ("Verifying an Authentication Assertion").
 * @param count counter of the last assertion
 * @returns counter of this assertion
 * @throws Error that names the broken rule
 */
export function verifyAssertion(
  text: string,
  {
    credentialId,
    passkey,
    request,
    count,
  }: { credentialId: Buffer; passkey: Passkey; request: PasskeyRequest; count: number },
): number {
  const { id, rawId, response } = assertion.parse(JSON.parse(text))
  must(id.equals(rawId), 'id is not rawId')
  must(credentialId.equals(rawId), 'credential_id is not rawId')
  must(rawId.toString('base64url') === passkey.id, 'another credential')
  must(request.allowed.length === 0 || request.allowed.includes(passkey.id), 'a credential that was not allowed')
  const data = clientData.parse(JSON.parse(response.clientDataJSON.toString()))
  must(data.challenge === request.challenge, 'another challenge')
  const { protocol, hostname } = new URL(data.origin)
  must(protocol === 'https:' && `.${hostname}`.endsWith('.whatsapp.com'), 'another origin')
  const { authenticatorData, signature } = response
  must(authenticatorData.subarray(0, 32).equals(sha256(request.rpId)), 'another relying party')
  const flags = authenticatorData[32] ?? 0
  must((flags & 0x01) !== 0, 'nobody was present')
  must((flags & 0x04) !== 0, 'nobody was verified')
  const counted = authenticatorData.readUInt32BE(33)
  must(counted === 0 || counted > count, 'the counter went back')
  const signed = Buffer.concat([authenticatorData, sha256(response.clientDataJSON)])
  must(verify('sha256', signed, passkey.publicKey, signature), 'a wrong signature')
  return counted
}
