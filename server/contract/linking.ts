import { z } from 'zod'
import { isoTime } from './envelope.ts'
import { passkeyView } from './passkey.ts'
import { phoneInput } from './phone.ts'

export const linkRequest = z.discriminatedUnion('method', [
  z.object({ method: z.literal('qr') }),
  z.object({ method: z.literal('code'), phone: phoneInput }),
])
export type LinkRequest = z.infer<typeof linkRequest>

/** Why an attempt to link shows no code. */
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
