import { z } from 'zod'
import { isoTime, shaped } from './fields.ts'
import { phoneInput } from './phone.ts'

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

/** PublicKeyCredential.toJSON() of an assertion. Its other members are dropped. */
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

/**
 * Steps of the passkey ceremony, in order: WhatsApp waits for the assertion, checks it, wants the
 * owner to compare a code, links the number.
 */
const PASSKEY_STEPS = ['asked', 'checking', 'compare', 'finishing'] as const

/** Passkey that WhatsApp asks for before it links a number. */
const passkeyView = z.object({
  options: passkeyOptions.describe('For `navigator.credentials.get`, on an origin inside whatsapp.com.'),
  until: isoTime.describe('The attempt ends then.'),
  step: z
    .enum(PASSKEY_STEPS)
    .describe(
      '`asked`: post the assertion; `checking`: WhatsApp looks at it; `compare`: `passkey_code` has to be compared; `finishing`.',
    ),
})
export type PasskeyView = z.infer<typeof passkeyView>

export const linkRequest = z.discriminatedUnion('method', [
  z.object({ method: z.literal('qr') }),
  z.object({ method: z.literal('code'), phone: phoneInput }),
])
export type LinkRequest = z.infer<typeof linkRequest>

/** Reasons why an attempt to link shows no code. */
export const LINKING_REASONS = [
  'passkey_required',
  'passkey_refused',
  'pairing_code_refused',
  'refused_by_whatsapp',
  'protocol_outdated',
  'no_answer',
  'connection_lost',
  'whatsapp_unavailable',
  'untrusted_server',
] as const
export type LinkingReason = (typeof LINKING_REASONS)[number]

/** A running attempt to link. */
export const linkingView = z.object({
  method: z.enum(['qr', 'code']),
  qr: z.string().nullable().describe('The raw string to encode.'),
  pairing_code: z.string().nullable(),
  expires_at: isoTime.nullable(),
  reason: z
    .enum(LINKING_REASONS)
    .nullable()
    .describe('Why no code is shown: WhatsApp wants a passkey, refused it or the pairing code, or does not answer.'),
  reason_detail: z.string().nullable().describe("WhatsApp's code, such as 429."),
  passkey: passkeyView
    .nullable()
    .describe('WhatsApp wants a passkey; null with `passkey_required`: it says in no form that is known.'),
  passkey_code: z.string().nullable().describe('`XXXX-XXXX`. Confirm it here only where the phone shows the same one.'),
  version_unread: z
    .boolean()
    .describe('WhatsApp did not say which version is current: phones link no old one, and do not say why.'),
})
export type LinkingView = z.infer<typeof linkingView>
