import { z } from 'zod'
import { type PasskeyAssertion, type PasskeyOptions, WHATSAPP_HOST } from '../../../contract/passkey.ts'

const clientData = z.object({ type: z.literal('webauthn.get'), challenge: z.string(), origin: z.string() })

/** Faults of an assertion that are seen without WhatsApp. */
export type PasskeyFault = 'unreadable' | 'other_origin' | 'other_challenge' | 'other_credential'

/**
 * The fault for which WhatsApp would refuse it; null: none. It is an answer to an older request, or
 * one that was made for another page (WebAuthn, "Verifying an Authentication Assertion"). Pure.
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
