import { randomBytes, randomUUID } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import type { Account } from './account.ts'
import type { Registration } from './registration.ts'
import { child, queryError, result, seconds, stanza } from './stanza.ts'

const TIMEOUT_MS = 600_000

const requestOptions = (): Buffer =>
  Buffer.from(
    JSON.stringify({
      challenge: randomBytes(32).toString('base64url'),
      rpId: 'whatsapp.com',
      allowCredentials: [{ type: 'public-key', id: randomBytes(16).toString('base64url') }],
      userVerification: 'required',
      timeout: TIMEOUT_MS,
    }),
  )

/**
 * Instead of linking, WhatsApp wants a passkey. Resolves when the client has confirmed that it
 * heard; the ceremony that would follow is not played. Rejects when the client hangs up, or runs
 * out of QR codes, without having confirmed.
 */
export async function askForPasskey(registration: Registration, { passkey }: Account, at: number): Promise<void> {
  const id = randomUUID()
  const options = passkey === 'asked' ? [stanza('passkey_request_options', {}, requestOptions())] : []
  const confirmed = registration.confirmation(id)
  registration.link.send(
    stanza('notification', { id, from: S_WHATSAPP_NET, type: 'passkey_prologue_request', t: seconds(at) }, options),
  )
  await confirmed
}

/** A client that got no options with the notification asks for them. */
export const answerPasskeyOptions = (query: BinaryNode): BinaryNode =>
  child(query, 'passkey_request_options')
    ? result(query, [stanza('passkey_request_options', {}, requestOptions())])
    : queryError(query, 400, 'bad-request')
