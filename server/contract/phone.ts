import { z } from 'zod'

const SEPARATORS = /[\s.\-()+\u00a0]/g

export type PhoneResult = { ok: true; phone: string } | { ok: false; problem: string }

/**
 * A number in international form, digits only. Separators and a leading `00` are dropped; a single leading 0 becomes the
 * sender's default country code. No other digit is ever changed: whether Brazil's 9 belongs there is WhatsApp's to say.
 */
export function normalisePhone(raw: string, countryCode: string | null): PhoneResult {
  const digits = raw.replace(SEPARATORS, '')
  if (!/^\d+$/.test(digits)) return { ok: false, problem: 'must be a phone number: digits only, such as 6281234567890' }
  let phone = digits.startsWith('00') ? digits.slice(2) : digits
  if (phone.startsWith('0')) {
    if (digits.startsWith('00') || countryCode === null) {
      return {
        ok: false,
        problem:
          'must begin with the country code, such as 6281234567890 instead of 081234567890 (or set a default country code for this sender)',
      }
    }
    phone = countryCode + phone.slice(1)
  }
  if (phone.startsWith('0')) return { ok: false, problem: 'must not begin with 0 after the country code rule' }
  if (phone.length < 7 || phone.length > 15) return { ok: false, problem: 'must have 7 to 15 digits' }
  return { ok: true, phone }
}

// What is wrong whatever country it belongs to; with the country's code it may become three digits longer.
const POSSIBLE = /^\d{5,17}$/

/** As sent by callers: the rest is checked once the sender, and so the default country, is known. */
export const phoneInput = z
  .string('must be a string of digits')
  .max(64, 'is too long')
  .refine(
    (raw) => POSSIBLE.test(raw.replace(SEPARATORS, '')),
    'must be a phone number of 7 to 15 digits, such as 6281234567890',
  )
