import type { DesktopBridge } from '../../server/contract/desktop.ts'
import { type PasskeyAssertion, type PasskeyOptions, passkeyAssertion } from '../../server/contract/linking.ts'

/** True where the system shows its own dialogue for a passkey in Kurir's window. */
export const canConfirmHere = (desktop: DesktopBridge | undefined): desktop is DesktopBridge =>
  desktop?.platform === 'win32'

/** A line for the console of a browser that shows WhatsApp: it copies the answer. */
export const consoleLine = (options: PasskeyOptions): string =>
  `copy(JSON.stringify(await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })))`

/** Null where the text is no answer of a passkey. */
export function readAssertion(text: string): PasskeyAssertion | null {
  try {
    return passkeyAssertion.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
