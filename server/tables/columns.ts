import { ownFieldsOf, wordsOf } from '../contract/placeholders.ts'
import type { Language } from '../contract/settings.ts'

const PHONE_NAME =
  /(^|[^a-z])(hp|wa|no|nomor|nomer|telp|tlp|telepon|phone|mobile|handphone|whatsapp|ponsel|msisdn|tel)([^a-z]|$)|whatsapp|telepon|handphone/i
const NOT_PHONE_NAME = /faktur|invoice|inv|urut|pesanan|order|resi|rekening|nota|antrian|kamar|meja|ktp|nik/i
const FILE_NAME = /(^|[^a-z])(file|berkas|lampiran|pdf|dokumen|attachment)([^a-z]|$)/i
/** Rows by which the columns are told. */
export const LOOKED_AT = 50

/** Digits that may be a number of a phone, however a spreadsheet wrote them. */
export const looksLikePhone = (cell: string): boolean => /^[+'=("\s]*\d[\d\s.\-()]{7,20}[")\s]*$/.test(cell)

/** True where the first line names the columns. */
export const hasNames = (first: readonly string[]): boolean => !first.some(looksLikePhone)

const UNNAMED: Record<Language, string> = { en: 'column', id: 'kolom' }

/** Names that can stand in braces, each once. */
export function columnNames(first: readonly string[] | null, count: number, language: Language): string[] {
  const names: string[] = []
  for (let at = 0; at < count; at += 1) {
    const written = (first?.[at] ?? '').replace(/[^\p{L}\p{N}_ .-]/gu, ' ').replace(/\s+/g, ' ')
    const base =
      written
        .replace(/^[ .-]+/, '')
        .slice(0, 36)
        .trim() || `${UNNAMED[language]} ${at + 1}`
    let name = base
    for (let again = 2; names.some((known) => spelt(known) === spelt(name)); again += 1) name = `${base} ${again}`
    names.push(name)
  }
  return names
}

const spelt = (name: string): string => name.trim().toLowerCase()

/** Words in braces of a text: those of columns, and those that nobody fills in. */
export function fieldsOf(text: string, columns: readonly string[]) {
  const names = new Set(columns.map(spelt))
  const words = wordsOf(text)
  return {
    used: words.filter((word) => names.has(word)),
    unknown: ownFieldsOf(text).filter((word) => !names.has(word)),
  }
}

/** The values of a row, by the spelling of words in braces. */
export const valuesOf = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name, at) => [spelt(name), (cells[at] ?? '').trim()]))

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

export const guessFile = (columns: readonly string[]): string | null =>
  columns.find((name) => FILE_NAME.test(name)) ?? null
