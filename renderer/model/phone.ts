import { countryCodeOf, formatPhone, normalisePhone } from '../../server/contract/phone.ts'
import type { SenderView } from '../../server/contract/senders.ts'

const CODE_OF_LANGUAGE: Record<string, string> = { id: '62' }

/**
 * The country in which a number without a country code is meant: what the sender says, else that of
 * the sender's own number, else that of any linked number, else that of the language. Null: none.
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
 * A number as people type it, in digits; what cannot be read stays as it is, for the server to
 * refuse with its reason.
 */
export function typedPhone(typed: string, countryCode: string | null): string {
  const result = normalisePhone(typed, countryCode)
  return result.ok ? result.phone : typed
}

/** True if a text is a whole number, as people write it, and no other word. */
export const isNumber = (typed: string): boolean =>
  /^[+(\d][\d\s().-]*$/.test(typed) && (typed.match(/\d/g) ?? []).length >= 7

/** The page of a customer. @param phone as people write it */
export const customerPath = (phone: string): string => `/customers/${encodeURIComponent(phone.trim())}`

/**
 * A number within a sentence: never parted at the end of a line, where two numbers have to be
 * compared.
 */
export const phoneInText = (digits: string): string =>
  formatPhone(digits).replaceAll(' ', '\u00a0').replaceAll('-', '\u2011')
