import type { Language } from '../contract/settings.ts'

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
