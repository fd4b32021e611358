import { ownFieldsOf } from '../../contract/placeholders.ts'

const FILE_NAME = /(^|[^a-z])(file|berkas|lampiran|pdf|dokumen|attachment)([^a-z]|$)/i

export const spelt = (name: string): string => name.trim().toLowerCase()

/** Words in braces of a text that nobody fills in: neither Kurir nor a column. */
export function unknownFields(text: string, columns: readonly string[]): string[] {
  const names = new Set(columns.map(spelt))
  return ownFieldsOf(text).filter((word) => !names.has(word))
}

/** The values of a row, by the spelling of words in braces. */
export const valuesOf = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((name, at) => [spelt(name), (cells[at] ?? '').trim()]))

export const guessFile = (columns: readonly string[]): string | null =>
  columns.find((name) => FILE_NAME.test(name)) ?? null
