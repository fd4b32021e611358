import { normalisePhone } from '../../server/contract/phone.ts'
import type { SenderView } from '../../server/contract/senders.ts'

const TWO_DIGIT =
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'
const TWO_DIGIT_CODES = new Set(TWO_DIGIT.split(' '))

/** The country code at the start of an international number. */
export function countryCodeOf(digits: string): string {
  if (digits.startsWith('1') || digits.startsWith('7')) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGIT_CODES.has(digits.slice(0, 2)) ? 2 : 3)
}

/** How many digits the first groups have, by the length of the national number; the rest goes on in fours. Approximate. */
const GROUPS: Record<number, number[]> = { 6: [3, 3], 7: [3, 4], 9: [3, 3, 3], 10: [3, 3, 4], 11: [3, 4, 4] }

/** `6281234567890` → `+62 812-3456-7890`, for reading only. */
export function formatPhone(digits: string): string {
  if (!/^\d{7,15}$/.test(digits)) return digits
  const code = countryCodeOf(digits)
  const national = digits.slice(code.length)
  const parts: string[] = []
  let at = 0
  for (const size of GROUPS[national.length] ?? [4, 4, 4, 4]) {
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

/**
 * What the log is searched for. A number typed with the 0 of its own country, such as 0812-9011-4473, is in the log
 * with a country code instead, and is found by its end.
 */
export const searchText = (typed: string): string =>
  /^0[1-9][\d\s().-]{5,}$/.test(typed.trim()) ? typed.trim().slice(1) : typed.trim()
