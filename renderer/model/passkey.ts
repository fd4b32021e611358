import type { DesktopBridge } from '../../server/contract/desktop.ts'
import { type PasskeyAssertion, type PasskeyOptions, passkeyAssertion } from '../../server/contract/linking.ts'

/** True if the system can show its passkey dialog in Kurir's own window. */
export const canConfirmHere = (desktop: DesktopBridge | undefined): desktop is DesktopBridge =>
  desktop?.platform === 'win32'

/** Returns a line for the console of a browser that shows WhatsApp. The line copies the answer. */
export const consoleLine = (options: PasskeyOptions): string =>
  `copy(JSON.stringify(await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })))`

/** Returns null if the text is no answer of a passkey. */
export function readAssertion(text: string): PasskeyAssertion | null {
  try {
    return passkeyAssertion.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
