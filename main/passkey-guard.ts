// Decisions of the sealed window that asks for a passkey. Pure.

/** Long enough for any request of WhatsApp. */
const MOST_OPTIONS = 16_384
/** Long enough for any answer of an authenticator. */
const MOST_ANSWER = 65_536

/** True inside whatsapp.com, and for nobody who only looks like it. */
export function isInsideWhatsApp(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, port, username, password } = new URL(address)
  return (
    protocol === 'https:' &&
    `.${hostname}`.endsWith('.whatsapp.com') &&
    port === '' &&
    username === '' &&
    password === ''
  )
}

/** Every permission is denied: a passkey is asked for without one. */
export const mayUse = (_permission: string): boolean => false

export interface PasskeyQuestion {
  /** The address whose origin asks. WhatsApp's own page is at the first. */
  page: string
  script: string
}

/** Null where the options are not WhatsApp's. */
export function questionFor(options: unknown): PasskeyQuestion | null {
  const rpId = typeof options === 'object' && options !== null && 'rpId' in options ? options.rpId : undefined
  if (typeof rpId !== 'string') return null
  const page = rpId === 'whatsapp.com' ? 'https://web.whatsapp.com/' : `https://${rpId}/`
  const json = JSON.stringify(options)
  if (!isInsideWhatsApp(page) || new URL(page).href !== page || json.length > MOST_OPTIONS) return null
  const asked = `PublicKeyCredential.parseRequestOptionsFromJSON(${json})`
  return { page, script: `navigator.credentials.get({ publicKey: ${asked} }).then((one) => JSON.stringify(one))` }
}

/** Null where it is no answer. The server looks at what is in it. */
export function answerIn(result: unknown): unknown {
  if (typeof result !== 'string' || result.length > MOST_ANSWER) return null
  try {
    return JSON.parse(result)
  } catch {
    return null
  }
}
