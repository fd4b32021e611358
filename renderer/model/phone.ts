import { countryCodeOf, formatPhone, normalisePhone } from '../../server/contract/phone.ts'
import type { SenderView } from '../../server/contract/senders.ts'

const CODE_OF_LANGUAGE: Record<string, string> = { id: '62' }

/**
 * Returns the country code for numbers without one: the sender's setting, else that of the sender's
 * number, of the first sender with a number, or of the language. Null: none.
 */
export function countryFor(
  sender: Pick<SenderView, 'country_code' | 'phone'> | undefined,
  senders: readonly Pick<SenderView, 'phone'>[],
  language: string,
): string | null {
  const phone = sender?.phone ?? senders.find((one) => one.phone !== null)?.phone ?? null
  return sender?.country_code ?? (phone === null ? (CODE_OF_LANGUAGE[language] ?? null) : countryCodeOf(phone))
}

/**
 * Returns a typed number in digits. A text that is no number stays as typed, so that the server
 * refuses it with a reason.
 */
export function typedPhone(typed: string, countryCode: string | null): string {
  const result = normalisePhone(typed, countryCode)
  return result.ok ? result.phone : typed
}

/** True if a text is a whole phone number, as people write it, and nothing else. */
export const isNumber = (typed: string): boolean =>
  /^[+(\d][\d\s().-]*$/.test(typed) && (typed.match(/\d/g) ?? []).length >= 7

/** Returns the address of a customer's page. @param phone as people write it */
export const customerPath = (phone: string): string => `/customers/${encodeURIComponent(phone.trim())}`

/** Formats a number without line breaks, so that it can be compared with another in a sentence. */
export const phoneInText = (digits: string): string =>
  formatPhone(digits).replaceAll(' ', '\u00a0').replaceAll('-', '\u2011')
