import { ownFieldsOf, wordsOf } from '../contract/placeholders.ts'
import type { Language } from '../contract/settings.ts'

const FILE_NAME = /(^|[^a-z])(file|berkas|lampiran|pdf|dokumen|attachment)([^a-z]|$)/i

const UNNAMED: Record<Language, string> = { en: 'column', id: 'kolom' }

/** Names that can stand in braces, each once. */
export function columnNames(first: readonly string[] | null, count: number, language: Language): string[] {
  const names: string[] = []
  for (let at = 0; at < count; at += 1) {
    const written = (first?.[at] ?? '').replace(/[^\p{L}\p{N}_ .-]/gu, ' ').replace(/\s+/g, ' ')
    const base = [...written.replace(/^[ .-]+/, '')].slice(0, 36).join('').trim() || `${UNNAMED[language]} ${at + 1}`
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

export const guessFile = (columns: readonly string[]): string | null =>
  columns.find((name) => FILE_NAME.test(name)) ?? null
