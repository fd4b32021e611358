import { z } from 'zod'
import { type FieldProblem, problem } from './field-problems.ts'

const SEPARATORS = /[\s.\-()+\u00a0]/g

const TWO_DIGIT =
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'
const TWO_DIGIT_CODES = new Set(TWO_DIGIT.split(' '))

/** Returns the country code of an international number (ITU E.164: one to three digits). */
export function countryCodeOf(digits: string): string {
  if (digits.startsWith('1') || digits.startsWith('7')) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGIT_CODES.has(digits.slice(0, 2)) ? 2 : 3)
}

/** Group sizes by the length of the national number; others use fours. Approximate. */
const GROUPS: Record<number, number[]> = { 6: [3, 3], 7: [3, 4], 9: [3, 3, 3], 10: [3, 3, 4], 11: [3, 4, 4] }

// Indonesia's landlines: the area code has two digits in Jakarta, Bandung, Surabaya and Medan, else
// three. Mobile numbers begin with 8.
const INDONESIAN_AREA = /^(2[124]|[36]1|[2-79]\d{2})/

/** Returns group sizes: 2, 4, 4 for `622155501234`. Undefined: no Indonesian landline. */
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

/**
 * True for Meta's business-scoped user ID, such as `US.13491208655302741918`, which stands for a
 * person whose number the business does not know.
 */
export const isUserId = (text: string): boolean => /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(text)

/**
 * True for WhatsApp's id of a group: a number, or in old groups the number of the founder and the
 * time of creation.
 */
export const isGroupId = (text: string): boolean => /^\d{5,25}(-\d{5,15})?@g\.us$/.test(text)

export type PhoneResult = { ok: true; phone: string } | { ok: false; problem: FieldProblem }

/**
 * Converts a number to international form, digits only. Drops separators and a leading `00`, and
 * replaces a single leading 0 with the sender's default country code. Changes no other digit:
 * only WhatsApp knows whether a Brazilian number needs its 9.
 */
export function normalisePhone(raw: string, countryCode: string | null): PhoneResult {
  const digits = raw.replace(SEPARATORS, '')
  if (!/^\d+$/.test(digits)) return { ok: false, problem: 'not_a_phone' }
  let phone = digits.startsWith('00') ? digits.slice(2) : digits
  if (phone.startsWith('0')) {
    if (digits.startsWith('00') || countryCode === null) {
      return { ok: false, problem: 'no_country_code' }
    }
    phone = countryCode + phone.slice(1)
  }
  if (phone.startsWith('0')) return { ok: false, problem: 'not_a_phone' }
  if (phone.length < 7 || phone.length > 15) return { ok: false, problem: 'not_a_phone' }
  return { ok: true, phone }
}

// Indonesian mobile numbers without their 0. In other countries the digits alone do not tell.
const MAY_LACK_ZERO: Record<string, RegExp> = { '62': /^8\d{8,11}$/ }
const SHORT = /^[1-9]\d{6,9}$/

/** True if a spreadsheet may have removed the leading 0 of this number of `country`. */
export function mayLackZero(text: string, country: string | null): boolean {
  const digits = text.replace(/\D/g, '')
  const isWhole = country === null || /^\(?\+/.test(text) || digits.startsWith(country)
  return !isWhole && (MAY_LACK_ZERO[country] ?? SHORT).test(digits)
}

// Mobile numbers with country code that begin with 8 too: Japan, Korea, Vietnam, Hong Kong, Macau,
// Cambodia, Laos, Taiwan.
const MOBILE_ELSEWHERE =
  /^(81[789]0\d{8}|8210\d{8}|84[35789]\d{8}|852[4-9]\d{7}|8536\d{7}|855[1-9]\d{7,8}|85620\d{7}|8869\d{8})$/

/**
 * True if a program has lost the leading 0 of an Indonesian number, as JSON and database numbers
 * do. No mobile number of another country looks like such a number.
 */
export const lacksZero = (text: string, country: string | null): boolean =>
  country === '62' && mayLackZero(text, country) && !MOBILE_ELSEWHERE.test(text.replace(/\D/g, ''))

/**
 * Returns the recipients that a searched text may mean. A national number with its leading 0 is
 * combined with each country code. Meta's user IDs and group ids stay as they are. Any other text
 * only loses its separators; if it is no number, it matches nothing.
 */
export function numbersMeant(raw: string, countryCodes: readonly string[]): string[] {
  if (isUserId(raw.trim()) || raw.trim().endsWith('@g.us')) return [raw.trim()]
  const digits = raw.replace(SEPARATORS, '')
  if (digits.startsWith('00')) return [digits.slice(2)]
  if (!/^0[1-9]\d*$/.test(digits)) return [digits]
  const codes = [...new Set(countryCodes)]
  // Without a country code the typed digits stay, which match no stored number.
  return codes.length === 0 ? [digits] : codes.map((code) => code + digits.slice(1))
}

const SUM = /^\d{1,3}(?:\.\d{3})+$/

// Ten digits, or `+` or 0 in front: anything shorter may be a reference, such as `2026-001`.
const AS_PEOPLE_WRITE_IT = /^(?=[+0]|(?:\D*\d){10})\+?\d[\d\s().-]+$/

/**
 * Joins the digits of a searched number, so that `+62 812-3456` is one word instead of three.
 * `184.500` stays, because it is a sum of money as texts contain it.
 */
export const withNumberJoined = (given: string): string =>
  AS_PEOPLE_WRITE_IT.test(given) && !SUM.test(given.trim()) ? given.replace(/\D/g, '') : given

/**
 * A national number with its leading 0. The log stores numbers with a country code in its place.
 * The beginning of a number is enough if it can be Indonesian, such as `021-555` or `0857-0001`.
 */
const NATIONAL = /^0([1-9]\d{7,}|[2-9]\d{3,})$/

/** Returns the part of a searched word that rows contain: a national number loses its 0. */
export const lettersOf = (word: string): string => NATIONAL.exec(word)?.[1] ?? word

// A number of any country, before its country code adds up to three digits.
const POSSIBLE = /^\d{5,17}$/

const isPossible = (raw: string): boolean => POSSIBLE.test(raw.replace(SEPARATORS, ''))

/** Longer than any user ID of Meta. */
export const LONGEST_RECIPIENT = 160

/** Accepts a JSON number too: many programs send one, and a safe integer loses no digit. */
const writtenAs = (text: z.ZodType<string, string>) =>
  z.preprocess((given: string | number) => (Number.isSafeInteger(given) ? String(given) : given), text)

/** A number as callers send it. normalisePhone checks it once the sender's country is known. */
export const phoneInput = writtenAs(z.string().max(64).refine(isPossible, problem('not_a_phone')))
  // Examples stand outside, because the schema library drops those of converted values.
  .meta({
    type: ['string', 'integer'],
    format: 'phone',
    description:
      "Phone number in international form, such as `6281234567890`; spaces, hyphens, dots, brackets and `+` are removed. A leading 0 of a recipient is replaced by the sender's default country code.",
    examples: ['6281234567890'],
  })

/** The recipient of a template. Meta also delivers to its own user ID of a person. */
export const phoneOrUserIdInput = writtenAs(
  z
    .string()
    .max(LONGEST_RECIPIENT)
    .refine((raw) => isUserId(raw.trim()) || isPossible(raw), problem('not_a_phone')),
).meta({
  type: ['string', 'integer'],
  description:
    "Phone number in international form; spaces, hyphens, dots, brackets and `+` are removed. Or Meta's user ID of a person whose phone number you do not know.",
  examples: ['6281234567890', 'US.13491208655302741918'],
})
