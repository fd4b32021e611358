import { z } from 'zod'
import { isoTime } from './envelope.ts'
import { shaped } from './fields.ts'

/** Bytes as WebAuthn writes them in JSON: base64url without padding. */
const base64url = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .pipe(shaped(/^[A-Za-z0-9_-]+$/, 'kJ3x_Yw'))

// A credential's id has at most 1,023 bytes (WebAuthn, "Credential ID").
const credentialId = base64url(1364)

/** Hosts for which WhatsApp's passkeys are made. */
export const WHATSAPP_HOST = /^(?:[a-z0-9-]{1,63}\.){0,3}whatsapp\.com$/

/** PublicKeyCredentialRequestOptionsJSON, as WhatsApp sends it. */
export const passkeyOptions = z.object({
  challenge: base64url(1024),
  rpId: shaped(WHATSAPP_HOST, 'whatsapp.com').default('whatsapp.com'),
  allowCredentials: z
    .array(
      z.object({
        type: z.literal('public-key'),
        id: credentialId,
        transports: z.array(z.string().max(32)).max(16).nullish(),
      }),
    )
    .max(64)
    .default([]),
  userVerification: z.enum(['required', 'preferred', 'discouraged']).default('preferred'),
  timeout: z.number().min(0).max(86_400_000).optional(),
  extensions: z.record(z.string().max(64), z.unknown()).optional(),
})
export type PasskeyOptions = z.infer<typeof passkeyOptions>

/** PublicKeyCredential.toJSON() of an assertion; what else it has is left out. */
export const passkeyAssertion = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: base64url(128).nullish(),
  }),
})
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>

/** Steps of the ceremony: WhatsApp waits for the assertion, looks, wants a code, links. */
export const PASSKEY_STEPS = ['asked', 'checking', 'compare', 'finishing'] as const

/** Passkey that WhatsApp asks for before it links a number. */
export const passkeyView = z.object({
  options: passkeyOptions.describe('For `navigator.credentials.get`, on an origin inside whatsapp.com.'),
  until: isoTime.describe('The attempt ends then.'),
  step: z
    .enum(PASSKEY_STEPS)
    .describe(
      '`asked`: post the assertion; `checking`: WhatsApp looks at it; `compare`: `passkey_code` has to be compared; `finishing`.',
    ),
})
export type PasskeyView = z.infer<typeof passkeyView>
