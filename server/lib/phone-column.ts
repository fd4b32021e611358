const PHONE_NAME =
  /(^|[^a-z])(hp|wa|no|nomor|nomer|telp|tlp|telepon|phone|mobile|handphone|whatsapp|ponsel|msisdn|tel)([^a-z]|$)|whatsapp|telepon|handphone/i
const NOT_PHONE_NAME = /faktur|invoice|inv|urut|pesanan|order|resi|rekening|nota|antrian|kamar|meja|ktp|nik/i
/** Rows by which the columns are told. */
export const LOOKED_AT = 50

/** Digits that may be a number of a phone, however a spreadsheet wrote them. */
const looksLikePhone = (cell: string): boolean => /^[+'=("\s]*\d[\d\s.\-()]{7,20}[")\s]*$/.test(cell)

/** True where the first line names the columns. */
export const hasNames = (first: readonly string[]): boolean => !first.some(looksLikePhone)

/** True where a name says that its column holds numbers of phones. */
export const isPhoneName = (name: string): boolean => PHONE_NAME.test(name) && !NOT_PHONE_NAME.test(name)

/** The column that most likely holds the numbers; null: none does. */
export function guessPhone(columns: readonly string[], rows: readonly (readonly string[])[]): string | null {
  const some = rows.slice(0, LOOKED_AT)
  const scored = columns.map((name, at) => {
    const filled = some.map((cells) => (cells[at] ?? '').trim()).filter((cell) => cell !== '')
    const likely = filled.filter(looksLikePhone).length / Math.max(filled.length, 1)
    const named = NOT_PHONE_NAME.test(name) ? -0.5 : PHONE_NAME.test(name) ? 0.6 : 0
    return { name, score: likely + named }
  })
  const best = scored.toSorted((a, b) => b.score - a.score)[0]
  return best !== undefined && best.score >= 0.5 ? best.name : null
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

/** True of what is no number of a phone: the digits of a fraction would be read as its own. */
export const hasFraction = (text: string): boolean => /^\d+,\d+$|^\d{9,}\.\d{1,2}$/.test(text)

/**
 * `="0812…"` and `'0812…`, as spreadsheets keep a number as it was typed, without the signs that
 * nobody sees.
 */
export const unquoted = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .trim()
