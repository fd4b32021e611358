import { isGroupId, normalisePhone } from '../contract/phone.ts'
import { mayLackZero } from '../lib/phone-column.ts'

export type NumberProblem = 'no_number' | 'shortened' | 'zero_lost' | 'no_country_code' | 'not_a_phone'

export type ReadNumber =
  | { kind: 'phone'; phone: string; restored: boolean }
  | { kind: 'group'; group: string }
  | { kind: 'problem'; problem: NumberProblem }

export interface NumberRules {
  /** That of the sender; null: unknown. */
  country: string | null
  /** The owner said that numbers have lost their first 0. */
  restoreZero: boolean
  isGroup: (name: string) => boolean
}

/** `="0812…"`, `'0812…`, and spaces that nobody sees. */
const bare = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .trim()

/**
 * A number as a spreadsheet writes it. What can be read in two ways is not guessed: 81234567890 is
 * somebody in Japan, or somebody in Indonesia whose 0 is gone. Pure.
 */
export function readNumber(cell: string, { country, restoreZero, isGroup }: NumberRules): ReadNumber {
  const text = bare(cell)
  if (text === '') return { kind: 'problem', problem: 'no_number' }
  if (isGroupId(text) || isGroup(text)) return { kind: 'group', group: text }
  if (/^[\d.,]+e\+?\d+$/i.test(text)) return { kind: 'problem', problem: 'shortened' }
  // No number of a phone has a fraction: its digits would be read as one.
  if (/^\d+,\d+$|^\d{9,}\.\d{1,2}$/.test(text)) return { kind: 'problem', problem: 'not_a_phone' }
  const digits = text.replace(/\D/g, '')
  const isInternational = /^\(?\+/.test(text) || digits.startsWith('00')
  if (!isInternational && country !== null && !digits.startsWith('0') && !digits.startsWith(country)) {
    if (!mayLackZero(digits, country)) return read(text, country, false)
    return restoreZero ? read(`0${digits}`, country, true) : { kind: 'problem', problem: 'zero_lost' }
  }
  return read(text, country, false)
}

function read(text: string, country: string | null, restored: boolean): ReadNumber {
  const result = normalisePhone(text, country)
  if (result.ok) return { kind: 'phone', phone: result.phone, restored }
  return { kind: 'problem', problem: result.problem === 'no_country_code' ? 'no_country_code' : 'not_a_phone' }
}
