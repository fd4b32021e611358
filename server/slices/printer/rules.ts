import { REFERENCE_MAX, type Rule } from './contract.ts'

export interface Mark {
  line: number
  from: number
  to: number
}

export type Found = { kind: 'found'; value: string } | { kind: 'none' } | { kind: 'several' }

const MOST_WORDS = 3
const LONGEST_LABEL = 40
const MOST_MARKS = 200
/** Most digits of a further group of a number. A longer group starts another number. */
const LONGEST_GROUP = 5

const isDigit = (letter: string | undefined): boolean => letter !== undefined && letter >= '0' && letter <= '9'
const isWord = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}*]/u.test(letter)
const isSpace = (letter: string | undefined): boolean => letter === ' '

/**
 * Returns the end of the number that begins at `from`; undefined if there is none. A single space
 * may separate its groups, but a group that looks like a complete number stands alone, so that the
 * quantity in the next column does not become part of it.
 */
function endOfNumber(text: string, from: number): number | undefined {
  const hasPlus = text[from] === '+'
  let end = from
  let last = from
  let groups = 0
  for (let at = hasPlus ? from + 1 : from; ; groups += 1) {
    while ('(' === text[at]) at += 1
    const begin = at
    while (isDigit(text[at]) || ('-.()'.includes(text[at] ?? ' ') && at > begin)) at += 1
    let stop = at
    while (stop > begin && !isDigit(text[stop - 1])) stop -= 1
    const size = digitsIn(text.slice(begin, stop))
    const joins =
      groups === 0 ||
      (size >= 2 && digitsIn(text.slice(from, end)) <= 3 && hasPlus) ||
      (size >= 2 && size <= LONGEST_GROUP && digitsIn(text.slice(last, end)) <= LONGEST_GROUP)
    if (size === 0 || !joins) break
    ;[last, end] = [begin, stop]
    if (!isSpace(text[at]) || isSpace(text[at + 1])) break
    at += 1
  }
  // Letters or stars right behind the digits: a partly hidden number, or no number.
  return end === from || isWord(text[end]) ? undefined : end
}

function digitsIn(text: string): number {
  let count = 0
  for (const letter of text) if (isDigit(letter)) count += 1
  return count
}

const isNumberStart = (text: string, at: number): boolean =>
  (isDigit(text[at]) || text[at] === '+' || text[at] === '(') && !isWord(text[at - 1]) && text[at - 1] !== '+'

/** Returns the end of the word that begins at `from`, without trailing punctuation. */
function endOfWord(text: string, from: number): number {
  let end = from
  while (end < text.length && !isSpace(text[end])) end += 1
  while (end > from && ',;:.'.includes(text[end - 1] ?? ' ')) end -= 1
  return end
}

/** Returns everything that the owner may mark: numbers, and words with a digit. */
export function findMarks(lines: readonly string[]): Mark[] {
  const marks: Mark[] = []
  for (const [line, text] of lines.entries()) {
    for (let from = 0; from < text.length && marks.length < MOST_MARKS; ) {
      const number = isNumberStart(text, from) ? endOfNumber(text, from) : undefined
      const to = Math.max(number ?? 0, isSpace(text[from]) ? from : endOfWord(text, from))
      const colon = text.slice(0, to - 1).lastIndexOf(':')
      // No space after a colon: the word before the colon does not belong to the value.
      if (number === undefined && colon >= from && digitsIn(text.slice(from, colon)) === 0) {
        from = colon + 1
        continue
      }
      if (to > from && digitsIn(text.slice(from, to)) > 0) marks.push({ line, from, to })
      from = Math.max(to, from + 1)
      if (number === undefined) while (from < text.length && !isSpace(text[from - 1])) from += 1
    }
  }
  return marks
}

const plain = (text: string): string => text.toLowerCase().split(/\s/).filter(Boolean).join(' ')
/** Removes the colon, dots and spaces that lead to the value. */
function label(text: string): string {
  let end = text.length
  while (end > 0 && ' :=.#-_'.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}
const hasLetter = (text: string): boolean => /\p{L}/u.test(text)

/**
 * Returns the words before a value that are likely the same on every receipt, without a customer's
 * name.
 */
function labelBefore(text: string): string {
  const inColumn = text.slice(text.lastIndexOf('   ') + 1)
  const words = label(inColumn).split(/\s/).filter(Boolean)
  const isSentence = words.length > MOST_WORDS || words.slice(0, -1).some((word) => word.endsWith(':'))
  const kept = isSentence ? words.slice(-1) : words
  return label(kept.join(' ')).slice(0, LONGEST_LABEL)
}

const lineBefore = (lines: readonly string[], line: number): string =>
  lines.slice(0, line).findLast((text) => text.trim() !== '') ?? ''

/** Returns a rule that finds the marked value on other receipts too. */
export function learnRule(lines: readonly string[], { line, from }: { line: number; from: number }): Rule {
  const before = (lines[line] ?? '').slice(0, from)
  const words = labelBefore(before)
  if (hasLetter(words)) return { label: words, place: 'after' }
  const above = label(lineBefore(lines, line).trim())
  const isLabel = hasLetter(above) && digitsIn(above) === 0 && above.split(/\s/).length <= MOST_WORDS
  return isLabel && above.length <= LONGEST_LABEL ? { label: above, place: 'below' } : { label: '', place: 'alone' }
}

/** Yields each text and offset at which a value of the rule may begin. */
function* placesOf({ label: words, place }: Rule, lines: readonly string[]): Generator<[string, number]> {
  const wanted = plain(words)
  let above = ''
  for (const text of lines) {
    if (place === 'alone') yield [text, firstLetter(text, 0)]
    else if (place === 'below') {
      if (text.trim() === '') continue
      if (plain(label(above)) === wanted) yield [text, firstLetter(text, 0)]
      above = text
    } else for (const at of behind(text, wanted)) yield [text, at]
  }
}

function firstLetter(text: string, from: number): number {
  let at = from
  while (isSpace(text[at])) at += 1
  return at
}

/** Yields the offsets behind a label; spaces and case may differ. */
function* behind(text: string, wanted: string): Generator<number> {
  const lower = text.toLowerCase()
  const [first = ''] = wanted.split(' ')
  for (let at = lower.indexOf(first); at >= 0 && first !== ''; at = lower.indexOf(first, at + 1)) {
    let end = at
    const fits = wanted.split(' ').every((word) => {
      end = firstLetter(lower, end)
      const isHere = lower.startsWith(word, end)
      end += word.length
      return isHere
    })
    if (!fits || isWord(text[at - 1])) continue
    let value = end
    while (' :=.#-'.includes(text[value] ?? '\n')) value += 1
    if (value > end || !isWord(text[end])) yield value
  }
}

/**
 * Finds the number by a rule. Different numbers give `several`, because no number is better than a
 * wrong one.
 */
export function findNumber(rule: Rule, lines: readonly string[]): Found {
  const found = new Set<string>()
  for (const [text, from] of placesOf(rule, lines)) {
    const to = isNumberStart(text, from) ? endOfNumber(text, from) : undefined
    if (to === undefined || (rule.place === 'alone' && (text.slice(to).trim() !== '' || digitsIn(text) < 8))) continue
    found.add(text.slice(from, to))
  }
  const [first, second] = new Map([...found].map((text) => [[...text].filter(isDigit).join(''), text])).values()
  if (first === undefined) return { kind: 'none' }
  return second === undefined ? { kind: 'found', value: first } : { kind: 'several' }
}

export function findReference(rule: Rule, lines: readonly string[]): string | null {
  for (const [text, from] of placesOf(rule, lines)) {
    const value = text.slice(from, endOfWord(text, from)).slice(0, REFERENCE_MAX)
    if (digitsIn(value) > 0) return value
  }
  return null
}
