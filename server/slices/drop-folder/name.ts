import { extname } from 'node:path'

/** Types of files that can be sent, by extension. */
const KINDS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

const TYPES: ReadonlySet<string> = new Set(Object.values(KINDS))

/**
 * Returns true if the type that was detected from the content can be sent, whatever the extension
 * says.
 */
export const isSent = (mimetype: string): boolean => TYPES.has(mimetype)

export const isTable = (name: string): boolean => /\.(csv|xlsx)$/i.test(name)

const REFERENCE_MAX = 256
// Digits with the punctuation that people put between them; at least one digit.
const NUMERIC = /^\+?[.()-]*\d[\d.()-]*$/
const LEAST = 7
const MOST = 15
/** Least digits of a complete number in nearly every country. */
const WHOLE = 10

/** Files of operating systems, and files that a program is still writing. They are ignored. */
const IGNORED = /^[.~]|^(desktop\.ini|thumbs\.db)$|\.(part|partial|tmp|temp|crdownload|download|lock|swp)$|~$/i

export const isIgnored = (name: string): boolean => IGNORED.test(name)

export type ReadName =
  | { kind: 'sent'; phone: string; reference: string | null; ending: string }
  | { kind: 'refused'; reason: 'bad_name' | 'not_this_kind' | 'no_number' | 'several_numbers' }

const refused = (reason: Extract<ReadName, { kind: 'refused' }>['reason']): ReadName => ({ kind: 'refused', reason })

const digitsOf = (text: string): number => text.replace(/\D/g, '').length

/**
 * Splits a name such as `0812-3456-7890 INV-1001.pdf` into the number that it begins with and the
 * rest. A space may be inside the number or end it. If both readings are possible the name is
 * refused, because a truncated number belongs to somebody else. Pure.
 */
export function readName(name: string): ReadName {
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffd]/u.test(name) || !name.isWellFormed()) return refused('bad_name')
  const ending = extname(name).toLowerCase()
  if (KINDS[ending] === undefined) return refused('not_this_kind')
  const words = name
    .slice(0, -ending.length)
    .normalize('NFKC')
    .split(/[\s_]+/u)
    .filter((word) => word !== '')
  const isOther = words.findIndex((word) => !NUMERIC.test(word))
  const groups = words.slice(0, isOther < 0 ? words.length : isOther)
  const length = lengthOf(groups)
  if (length === 0) return refused('no_number')
  if (length === undefined) return refused('several_numbers')
  const reference = words
    .slice(length)
    .join(' ')
    .replace(/^[-–,;:. ]+/u, '')
  return {
    kind: 'sent',
    phone: groups.slice(0, length).join(''),
    reference: reference === '' ? null : [...reference].slice(0, REFERENCE_MAX).join(''),
    ending,
  }
}

/**
 * Returns why the name of a table is refused. A table whose name begins with a number looks like a
 * file for one customer, and must not go to all customers in it.
 */
export function refusedName(name: string): 'bad_name' | 'table_for_one' | undefined {
  const named = readName(name.replace(/\.[^.]*$/, '.pdf'))
  if (named.kind === 'refused') return named.reason === 'bad_name' ? 'bad_name' : undefined
  return digitsOf(named.phone) >= WHOLE ? 'table_for_one' : undefined
}

/**
 * Returns how many groups of digits form the number. 0: there is no number; undefined: two readings
 * are possible.
 */
function lengthOf(groups: readonly string[]): number | undefined {
  let sum = 0
  const possible: number[] = []
  for (const [i, group] of groups.entries()) {
    sum += digitsOf(group)
    if (sum > MOST) break
    if (sum >= (i === 0 ? LEAST : WHOLE)) possible.push(i + 1)
  }
  const [first, ...others] = possible
  if (first === undefined) return 0
  return others.length === 0 || (first === 1 && digitsOf(groups[0] ?? '') >= WHOLE) ? first : undefined
}
