const PHONE_NAME =
  /(^|[^a-z])(hp|wa|no|nomor|nomer|telp|tlp|telepon|phone|mobile|handphone|whatsapp|ponsel|msisdn|tel)([^a-z]|$)|whatsapp|telepon|handphone/i
const NOT_PHONE_NAME = /faktur|invoice|inv|urut|pesanan|order|resi|rekening|nota|antrian|kamar|meja|ktp|nik/i
/** Rows that `guessPhone` looks at. */
export const LOOKED_AT = 50

/** True for digits that may be a phone number, however a spreadsheet wrote them. */
const looksLikePhone = (cell: string): boolean => /^[+'=("\s]*\d[\d\s.\-()]{7,20}[")\s]*$/.test(cell)

/** True if the first line holds names of columns. */
export const hasNames = (first: readonly string[]): boolean => !first.some(looksLikePhone)

/** True if a name says that its column holds phone numbers. */
export const isPhoneName = (name: string): boolean => PHONE_NAME.test(name) && !NOT_PHONE_NAME.test(name)

/** Returns the name of the column that most likely holds phone numbers; null: no column does. */
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

/**
 * True for a number with a decimal fraction, which is no phone number: the digits of the fraction
 * would be read as part of it.
 */
export const hasFraction = (text: string): boolean => /^\d+,\d+$|^\d{9,}\.\d{1,2}$/.test(text)

/**
 * Removes the forms `="0812…"` and `'0812…`, in which spreadsheets keep a number as it was typed,
 * and invisible characters.
 */
export const unquoted = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .trim()
