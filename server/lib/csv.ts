/** One record of a CSV text (RFC 4180). */
export interface CsvRecord {
  cells: string[]
  next: number
  /** Number of lines that the record spans. */
  lines: number
}

/**
 * Reads the record that begins at `at`. Any character of `separators` separates cells; cells that
 * contain a separator, a line break or a quote are quoted. A quote that is never closed counts as
 * an ordinary character.
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
 * Returns the separator that each of the first lines has most of; if two are equal, the one that
 * occurs most often in all of them. The minimum per line counts first because an address has commas
 * too, but the line of column names has not. A spreadsheet may also name its separator: `sep=;`.
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
 * Writes digits as a formula that yields text, because a spreadsheet would show a phone number as
 * 6,28E+12. Only for digits that Kurir wrote itself, because the text is not escaped.
 */
export const asText = (digits: string): string => `"=""${digits}"""`

// A formula may also stand behind invisible characters, such as a zero-width space or NUL. Some
// spreadsheets accept other forms of the four signs: full width, small, superscript, subscript, and
// the mathematical minus.
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋\u2212]|^[\t\r]/u

// A spreadsheet that uses another separator may begin a cell or a line in the middle of this one. A
// plus or minus stays as it is there, because lists and prices contain it:
// "\n- rice", "5.000,-".
const INNER_SIGNS = '(?=[=@＝＠﹦﹫⁼₌])'
const INNER_FORMULA = new RegExp(`([;,\\t\\r\\n] *)${INNER_SIGNS}`, 'g')
const INNER_TEXT = new RegExp(`([;,\\t\\r\\n] *)'${INNER_SIGNS}`, 'g')

/**
 * Quotes a cell for CSV. A leading apostrophe turns a text that a spreadsheet would take for a
 * formula back into text, because customers write these texts.
 */
export function escaped(value: Cell): string {
  if (value === null) return ''
  const text = String(value).replace(INNER_FORMULA, "$1'")
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Returns the original text of a cell that `escaped` or `asText` wrote, because owners open Kurir's
 * own tables again.
 */
export function asWritten(cell: string): string {
  const digits = /^="(\d+)"$/.exec(cell)?.[1]
  if (digits !== undefined) return digits
  const text = cell.replace(INNER_TEXT, '$1')
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
}
