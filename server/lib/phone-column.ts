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
