import { z } from 'zod'
import { type FieldProblem, problem } from './field-problems.ts'

const SEPARATORS = /[\s.\-()+\u00a0]/g

const TWO_DIGIT =
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'
const TWO_DIGIT_CODES = new Set(TWO_DIGIT.split(' '))

/** The country code at the start of an international number (ITU E.164: one to three digits). */
export function countryCodeOf(digits: string): string {
  if (digits.startsWith('1') || digits.startsWith('7')) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGIT_CODES.has(digits.slice(0, 2)) ? 2 : 3)
}

/**
 * How many digits the first groups have, by the length of the national number; the rest goes on in
 * fours. Approximate.
 */
const GROUPS: Record<number, number[]> = { 6: [3, 3], 7: [3, 4], 9: [3, 3, 3], 10: [3, 3, 4], 11: [3, 4, 4] }

// Indonesia's landlines: the area code has two digits in Jakarta, Bandung, Surabaya and Medan, else
// three. Mobile numbers begin with 8.
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

/**
 * Meta's business-scoped user ID, such as `US.13491208655302741918`: it stands for a person whose
 * number a business does not know.
 */
export const isUserId = (text: string): boolean => /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(text)

/** WhatsApp's id of a group: a number, of old groups that of its founder and the time. */
export const isGroupId = (text: string): boolean => /^\d{5,25}(-\d{5,15})?@g\.us$/.test(text)

export type PhoneResult = { ok: true; phone: string } | { ok: false; problem: FieldProblem }

/**
 * A number in international form, digits only. Separators and a leading `00` are dropped; a single
 * leading 0 becomes the sender's default country code. No other digit is ever changed: whether
 * Brazil's 9 belongs there is WhatsApp's to say.
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

// A mobile number of Indonesia without its 0; elsewhere nobody can tell by the digits alone.
const MAY_LACK_ZERO: Record<string, RegExp> = { '62': /^8\d{8,11}$/ }
const SHORT = /^[1-9]\d{6,9}$/

/** True of a number that may be one of the sender's country, whose 0 a spreadsheet took away. */
export function mayLackZero(text: string, country: string | null): boolean {
  const digits = text.replace(/\D/g, '')
  const isWhole = country === null || /^\(?\+/.test(text) || digits.startsWith(country)
  return !isWhole && (MAY_LACK_ZERO[country] ?? SHORT).test(digits)
}

// Japan, Korea, Vietnam, Hong Kong, Macau, Cambodia, Laos, Taiwan.
const MOBILE_ELSEWHERE =
  /^(81[789]0\d{8}|8210\d{8}|84[35789]\d{8}|852[4-9]\d{7}|8536\d{7}|855[1-9]\d{7,8}|85620\d{7}|8869\d{8})$/

/**
 * True where a program has lost the 0 of Indonesia, as with numbers of JSON and of databases: no
 * mobile number of another country looks like it.
 */
export const lacksZero = (text: string, country: string | null): boolean =>
  country === '62' && mayLackZero(text, country) && !MOBILE_ELSEWHERE.test(text.replace(/\D/g, ''))

/**
 * The numbers that somebody may mean: one that begins with the 0 of its own country is looked for
 * in each of the given ones; a user ID of Meta is what it is. What is no number stays as it is, and
 * is found nowhere.
 */
export function numbersMeant(raw: string, countryCodes: readonly string[]): string[] {
  if (isUserId(raw.trim()) || raw.trim().endsWith('@g.us')) return [raw.trim()]
  const digits = raw.replace(SEPARATORS, '')
  if (digits.startsWith('00')) return [digits.slice(2)]
  if (!/^0[1-9]\d*$/.test(digits)) return [digits]
  const codes = [...new Set(countryCodes)]
  // Without any country it is what was typed, which is no number.
  return codes.length === 0 ? [digits] : codes.map((code) => code + digits.slice(1))
}

const SUM = /^\d{1,3}(?:\.\d{3})+$/

// A shorter one without `+` or 0 may be a reference, such as `2026-001`.
const AS_PEOPLE_WRITE_IT = /^(?=[+0]|(?:\D*\d){10})\+?\d[\d\s().-]+$/

/**
 * A search as it is split into words: `+62 812-3456` is one number, not three; `184.500` is a sum,
 * as texts have it.
 */
export const withNumberJoined = (given: string): string =>
  AS_PEOPLE_WRITE_IT.test(given) && !SUM.test(given.trim()) ? given.replace(/\D/g, '') : given

/**
 * A number with the 0 of its own country, which is in the log with a country code instead; its
 * beginning is enough where it can be one of Indonesia's, such as `021-555` or `0857-0001`.
 */
const NATIONAL = /^0([1-9]\d{7,}|[2-9]\d{3,})$/

/** The part of a word that messages have letter by letter: a national number without its 0. */
export const lettersOf = (word: string): string => NATIONAL.exec(word)?.[1] ?? word

// Digits of any country; with the country's code they may become three longer.
const POSSIBLE = /^\d{5,17}$/

const isPossible = (raw: string): boolean => POSSIBLE.test(raw.replace(SEPARATORS, ''))

/** Longer than any of Meta's user IDs. */
export const LONGEST_RECIPIENT = 160

/** A number of JSON is taken as well: many languages write one, and it loses no digit. */
const writtenAs = (text: z.ZodType<string, string>) =>
  z.preprocess((given: string | number) => (Number.isSafeInteger(given) ? String(given) : given), text)

/** As sent by callers; the rest is checked once the sender, and its country, is known. */
export const phoneInput = writtenAs(z.string().max(64).refine(isPossible, problem('not_a_phone')))
  // The schema library drops examples of what it converts.
  .meta({
    type: ['string', 'integer'],
    format: 'phone',
    description: 'International number; separators are taken out.',
    examples: ['6281234567890'],
  })

/** The recipient of a template: Meta writes to people by its own ID of them as well. */
export const phoneOrUserIdInput = writtenAs(
  z
    .string()
    .max(LONGEST_RECIPIENT)
    .refine((raw) => isUserId(raw.trim()) || isPossible(raw), problem('not_a_phone')),
).meta({
  type: ['string', 'integer'],
  description:
    "International number, whose separators are taken out; or Meta's user ID of somebody whose number you do not know.",
  examples: ['6281234567890', 'US.13491208655302741918'],
})
