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
  options: passkeyOptions.describe(
    'Options for `navigator.credentials.get()`, to be called on an origin of whatsapp.com.',
  ),
  until: isoTime.describe('Time when this linking attempt ends.'),
  step: z
    .enum(PASSKEY_STEPS)
    .describe(
      'Progress: `asked` (post the passkey assertion now), `checking` (WhatsApp verifies it), `compare` (compare `passkey_code` with the code on the phone and confirm it), `finishing` (the number is being linked).',
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

export const linkingView = z.object({
  method: z.enum(['qr', 'code']),
  qr: z.string().nullable().describe('Content of the QR code, as text to be encoded. Null: no QR code to show.'),
  pairing_code: z.string().nullable(),
  expires_at: isoTime.nullable(),
  reason: z
    .enum(LINKING_REASONS)
    .nullable()
    .describe(
      'Why no code is shown: WhatsApp requires a passkey, refused the passkey or the pairing code, does not answer, or the connection fails. Null: no problem.',
    ),
  reason_detail: z.string().nullable().describe('Code that WhatsApp gave for `reason`, such as 429. Null: none.'),
  passkey: passkeyView
    .nullable()
    .describe(
      'Passkey request of WhatsApp. Null: none; together with the reason `passkey_required` null means that WhatsApp requires a passkey in a form that Kurir does not support.',
    ),
  passkey_code: z
    .string()
    .nullable()
    .describe(
      'Code to compare, in the form `XXXX-XXXX`. Confirm it only if the phone shows the same code. Null: nothing to compare.',
    ),
  version_unread: z
    .boolean()
    .describe(
      'True if Kurir could not find out the current version of WhatsApp. Phones refuse to link an outdated version without saying why.',
    ),
})
export type LinkingView = z.infer<typeof linkingView>
