import { z } from 'zod'
import { type FieldProblem, problem } from './field-problems.ts'

const SEPARATORS = /[\s.\-()+\u00a0]/g

export type PhoneResult = { ok: true; phone: string } | { ok: false; problem: FieldProblem }

/**
 * A number in international form, digits only. Separators and a leading `00` are dropped; a single leading 0 becomes the
 * sender's default country code. No other digit is ever changed: whether Brazil's 9 belongs there is WhatsApp's to say.
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

// What is wrong whatever country it belongs to; with the country's code it may become three digits longer.
const POSSIBLE = /^\d{5,17}$/

/**
 * As sent by callers: the rest is checked once the sender, and so the default country, is known. A number of JSON is taken
 * as well, because many languages write one, and no digit of it can be lost.
 */
export const phoneInput = z
  .preprocess(
    (given: string | number) => (Number.isSafeInteger(given) ? String(given) : given),
    z
      .string()
      .max(64)
      .refine((raw) => POSSIBLE.test(raw.replace(SEPARATORS, '')), problem('not_a_phone')),
  )
  // The schema library drops examples of what it converts.
  .meta({ type: ['string', 'integer'], format: 'phone' })
