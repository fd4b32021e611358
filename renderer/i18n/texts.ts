import type { Language } from '../../server/contract/settings.ts'
import type { Words } from '../../server/words/say.ts'
import type { en } from './en.ts'
import type { id } from './id.ts'

// Nothing but types is imported here: the texts are asked for before the rest of the first script
// has run.

interface Texts {
  /** The window's own. */
  texts: typeof en | typeof id
  /** Those of the server. */
  words: Words
}

/**
 * Every text of the window, by language: a window fetches its own before it is drawn, the other
 * ones afterwards.
 */
export const TEXTS: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).english,
  id: async () => (await import('./id.ts')).indonesian,
}

/** The last language, so that the first paint is right before the settings have been read. */
export const REMEMBERED = 'kurir.language'

export const isLanguage = (text: string | null | undefined): text is Language =>
  text != null && Object.hasOwn(TEXTS, text)

/** The language that this browser used last; null on a first visit. */
export function rememberedLanguage(): Language | null {
  const remembered = localStorage.getItem(REMEMBERED)
  return isLanguage(remembered) ? remembered : null
}

/** The language of the browser or the system; English for any that the window does not speak. */
export function browserLanguage(): Language {
  const [language] = navigator.language.toLowerCase().split('-')
  return isLanguage(language) ? language : 'en'
}

/** That of the first paint. */
export const firstLanguage = (): Language => rememberedLanguage() ?? browserLanguage()
