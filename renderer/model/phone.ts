import { countryCodeOf, normalisePhone } from '../../server/contract/phone.ts'
import type { SenderView } from '../../server/contract/senders.ts'

/** How many digits the first groups have, by the length of the national number; the rest goes on in fours. Approximate. */
const GROUPS: Record<number, number[]> = { 6: [3, 3], 7: [3, 4], 9: [3, 3, 3], 10: [3, 3, 4], 11: [3, 4, 4] }

// Indonesia's landlines: the area code has two digits in Jakarta, Bandung, Surabaya and Medan, else three. Mobile numbers begin with 8.
const INDONESIAN_AREA = /^(2[124]|[36]1|[2-79]\d{2})/

/** `622155501234` → the sizes of 21-5550-1234. Undefined: no Indonesian landline. */
function landlineGroups(code: string, national: string): number[] | undefined {
  const area = code === '62' ? INDONESIAN_AREA.exec(national)?.[0].length : undefined
  if (area === undefined) return undefined
  const rest = national.length - area
  return [area, rest > 6 ? rest - 4 : 3, 4]
}

/** `6281234567890` → `+62 812-3456-7890`, for reading only. */
export function formatPhone(digits: string): string {
  if (!/^\d{7,15}$/.test(digits)) return digits
  const code = countryCodeOf(digits)
  const national = digits.slice(code.length)
  const parts: string[] = []
  let at = 0
  for (const size of landlineGroups(code, national) ?? GROUPS[national.length] ?? [4, 4, 4, 4]) {
    if (at < national.length) parts.push(national.slice(at, at + size))
    at += size
  }
  return `+${code} ${parts.join('-')}`
}

const CODE_OF_LANGUAGE: Record<string, string> = { id: '62' }

/**
 * The country in which a number without a country code is meant: what the sender says, else that of the sender's own
 * number, else that of any linked number, else that of the language. Null: none.
 */
export function countryFor(
  sender: Pick<SenderView, 'country_code' | 'phone'> | undefined,
  senders: readonly Pick<SenderView, 'phone'>[],
  language: string,
): string | null {
  const phone = sender?.phone ?? senders.find((one) => one.phone !== null)?.phone ?? null
  return sender?.country_code ?? (phone === null ? (CODE_OF_LANGUAGE[language] ?? null) : countryCodeOf(phone))
}

/** A number as people type it, in digits; what cannot be read stays as it is, for the server to refuse with its reason. */
export function typedPhone(typed: string, countryCode: string | null): string {
  const result = normalisePhone(typed, countryCode)
  return result.ok ? result.phone : typed
}

/** Whether a text is a whole number, as people write it, and no other word. */
export const isNumber = (typed: string): boolean =>
  /^[+(\d][\d\s().-]*$/.test(typed) && (typed.match(/\d/g) ?? []).length >= 7

/** The page of a customer. @param phone as people write it */
export const customerPath = (phone: string): string => `/customers/${encodeURIComponent(phone.trim())}`
