// Decisions of the sealed window that asks for a passkey. Pure.

/** Longest options, in characters; enough for any request of WhatsApp. */
const MOST_OPTIONS = 16_384
/** Longest answer, in characters; enough for any authenticator. */
const MOST_ANSWER = 65_536

/** True for https addresses of whatsapp.com and its subdomains, and not for look-alikes. */
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

/** Denies every permission, because a passkey needs none. */
export const mayUse = (_permission: string): boolean => false

export interface PasskeyQuestion {
  /** Address whose origin asks for the passkey. */
  page: string
  script: string
}

/** Returns the question for a passkey; null: the options are not WhatsApp's. */
export function questionFor(options: unknown): PasskeyQuestion | null {
  const rpId = typeof options === 'object' && options !== null && 'rpId' in options ? options.rpId : undefined
  if (typeof rpId !== 'string') return null
  const page = rpId === 'whatsapp.com' ? 'https://web.whatsapp.com/' : `https://${rpId}/`
  const json = JSON.stringify(options)
  if (!isInsideWhatsApp(page) || new URL(page).href !== page || json.length > MOST_OPTIONS) return null
  const asked = `PublicKeyCredential.parseRequestOptionsFromJSON(${json})`
  return { page, script: `navigator.credentials.get({ publicKey: ${asked} }).then((one) => JSON.stringify(one))` }
}

/** Parses the answer; null: not an answer. The server checks its content. */
export function answerIn(result: unknown): unknown {
  if (typeof result !== 'string' || result.length > MOST_ANSWER) return null
  try {
    return JSON.parse(result)
  } catch {
    return null
  }
}
