import type { Language } from '../../server/contract/settings.ts'
import type { Words } from '../../server/words/say.ts'
import type { en } from './en.ts'
import type { id } from './id.ts'

// Imports only types, because the texts are fetched before the rest of the first script runs.

interface Texts {
  /** Texts of the window. */
  texts: typeof en | typeof id
  /** Words that the server has too. */
  words: Words
}

/**
 * Fetches the texts of a language. The window fetches its own language before it is drawn, and the
 * others afterwards.
 */
export const TEXTS: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).english,
  id: async () => (await import('./id.ts')).indonesian,
}

/** Name in localStorage for the last language, which counts until the settings were read. */
export const REMEMBERED = 'kurir.language'

export const isLanguage = (text: string | null | undefined): text is Language =>
  text != null && Object.hasOwn(TEXTS, text)

/** Returns the language that this browser used last. Null: first visit. */
export function rememberedLanguage(): Language | null {
  const remembered = localStorage.getItem(REMEMBERED)
  return isLanguage(remembered) ? remembered : null
}

/** Returns the language of the browser or system, or English if the window does not have it. */
export function browserLanguage(): Language {
  const [language] = navigator.language.toLowerCase().split('-')
  return isLanguage(language) ? language : 'en'
}

/** Returns the language of the first paint. */
export const firstLanguage = (): Language => rememberedLanguage() ?? browserLanguage()
