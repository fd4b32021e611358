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

/**
 * A text that a spreadsheet would take for a formula is made a text by a leading apostrophe:
 * customers write these.
 */
export function escaped(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a cell that `escaped` or `asText` wrote: owners open tables of Kurir again. */
export function asWritten(cell: string): string {
  const digits = /^="(\d+)"$/.exec(cell)?.[1]
  if (digits !== undefined) return digits
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell
}
