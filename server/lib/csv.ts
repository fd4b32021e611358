/** One record of a CSV text (RFC 4180) and where the next one begins. */
export interface CsvRecord {
  cells: string[]
  next: number
  /** Lines of the text that it takes. */
  lines: number
}

/**
 * Reads the record that begins at `at`: cells between any of `separators`, in quotes where they
 * hold one, a line break or a quote. A quote that is never closed is a sign like others.
 */
export function readCsvRecord(text: string, at: number, separators: string): CsvRecord {
  const cells: string[] = []
  let lines = 1
  for (let start = at; ; ) {
    const quoted = quotedCell(text, start, separators)
    const end = quoted?.end ?? endOfCell(text, start, separators)
    cells.push(quoted?.value ?? text.slice(start, end))
    lines += quoted?.breaks ?? 0
    const sign = text[end]
    if (sign !== undefined && separators.includes(sign)) {
      start = end + 1
      continue
    }
    return { cells, lines, next: text.startsWith('\r\n', end) ? end + 2 : end + 1 }
  }
}

const isBreak = (sign: string | undefined): boolean => sign === '\n' || sign === '\r'

const isEnd = (sign: string | undefined, separators: string): boolean =>
  sign === undefined || isBreak(sign) || separators.includes(sign)

function endOfCell(text: string, start: number, separators: string): number {
  let end = start
  while (!isEnd(text[end], separators)) end += 1
  return end
}

function quotedCell(text: string, start: number, separators: string) {
  let open = start
  while (text[open] === ' ') open += 1
  if (text[open] !== '"') return undefined
  for (let close = text.indexOf('"', open + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    if (text[close + 1] === '"') {
      close += 1
      continue
    }
    let end = close + 1
    while (text[end] === ' ') end += 1
    if (!isEnd(text[end], separators)) return undefined
    const value = text.slice(open + 1, close)
    return { value: value.replaceAll('""', '"'), end, breaks: value.split('\n').length - 1 }
  }
  return undefined
}

const LOOKED_AT = 5
const CANDIDATES = ['\t', ';', ',']

/**
 * The separator that every one of the first lines has most of, or else all of them together: an
 * address has commas too, but not its name. Spreadsheets may also name it: `sep=;`.
 */
export function separatorOf(text: string): string {
  const [, named] = /^sep=([,;\t])\r?\n/i.exec(text.slice(0, 16)) ?? []
  if (named !== undefined) return named
  const counted = CANDIDATES.map((sign) => ({ sign, ...cellsAtFirst(text, sign) }))
  return counted.toSorted((a, b) => b.least - a.least || b.all - a.all)[0]?.sign ?? ','
}

function cellsAtFirst(text: string, separator: string): { least: number; all: number } {
  const counts: number[] = []
  for (let at = 0; counts.length < LOOKED_AT && at < text.length; ) {
    const { cells, next } = readCsvRecord(text, at, separator)
    counts.push(cells.length)
    at = next
  }
  return { least: Math.min(...counts), all: counts.reduce((sum, count) => sum + count, 0) }
}

export type Cell = string | number | boolean | null

/**
 * Digits that stay a text: a spreadsheet would show a phone number as 6,28E+12. Only for digits of
 * our own.
 */
export const asText = (digits: string): string => `"=""${digits}"""`

// Also behind what is not seen, such as a zero-width space or NUL. Other forms of the four signs
// are read alike by some spreadsheets: full width, small, raised, lowered, and the minus of
// mathematics.
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋\u2212]|^[\t\r]/u

// A spreadsheet that separates by another sign begins a cell, or a line, in the middle of this one.
// A plus or minus stays there as it is, for lists and prices: "\n- rice", "5.000,-".
const INNER_SIGNS = '(?=[=@＝＠﹦﹫⁼₌])'
const INNER_FORMULA = new RegExp(`([;,\\t\\r\\n] *)${INNER_SIGNS}`, 'g')
const INNER_TEXT = new RegExp(`([;,\\t\\r\\n] *)'${INNER_SIGNS}`, 'g')

/**
 * A text that a spreadsheet would take for a formula is made a text by a leading apostrophe:
 * customers write these.
 */
export function escaped(value: Cell): string {
  if (value === null) return ''
  const text = String(value).replace(INNER_FORMULA, "$1'")
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a cell that `escaped` or `asText` wrote: owners open tables of Kurir again. */
export function asWritten(cell: string): string {
  const digits = /^="(\d+)"$/.exec(cell)?.[1]
  if (digits !== undefined) return digits
  const text = cell.replace(INNER_TEXT, '$1')
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
}
