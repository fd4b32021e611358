import { DAY } from '../../lib/time.ts'

// Excel takes 255 signs.
const LONGEST_FORMAT = 1_000
/** True for the number of a format that is a date in every file. */
export const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

const QUOTES: Record<string, string> = { '"': '"', '[': ']' }

/** A format without its texts: in quotes, in brackets, or behind a backslash. */
function withoutTexts(code: string): string {
  let bare = ''
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at] ?? ''
    const end = QUOTES[sign]
    if (sign === '\\') at += 1
    else if (end === undefined) bare += sign
    else at = (code.indexOf(end, at + 1) + 1 || code.length + 1) - 1
  }
  return bare
}

/** `dd/mm/yyyy`, but not `0.00` or `"Rp" #,##0`. */
export function isDateFormat(code: string): boolean {
  const bare = withoutTexts(code.slice(0, LONGEST_FORMAT))
  return /[dmyhs]/i.test(bare) && !/[0#?]/.test(bare)
}

// Excel's last one: 31 December 9999.
const LAST_DAY = 2_958_465
const EPOCH = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }

/** Undefined for what Excel shows as #####. */
export function dateText(serial: number, from1904: boolean, language: string): string | undefined {
  if (!(serial >= 0 && serial < LAST_DAY + 1)) return undefined
  const at = (from1904 ? EPOCH.from1904 : EPOCH.from1900) + Math.round(serial * DAY)
  const time = serial % 1 === 0 ? {} : { timeStyle: 'short' as const }
  const date = serial < 1 ? {} : { dateStyle: 'long' as const }
  return new Intl.DateTimeFormat(language, { ...date, ...time, timeZone: 'UTC' }).format(at)
}
