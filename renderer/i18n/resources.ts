import type { FormatterModule, InitOptions } from 'i18next'
import { formatsOf, LOCALES } from '../../server/contract/format.ts'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import type { en } from './en.ts'
import type { id } from './id.ts'

/** Every text of the window, by language: a window fetches its own before it is drawn, the other ones afterwards. */
export const TEXTS: Record<Language, () => Promise<typeof en | typeof id>> = {
  en: async () => (await import('./en.ts')).en,
  id: async () => (await import('./id.ts')).id,
}

/** How a language calls itself. */
export const LANGUAGE_INFO: Record<Language, { name: string }> = {
  en: { name: 'English' },
  id: { name: 'Bahasa Indonesia' },
}

export const isLanguage = (text: string | null | undefined): text is Language =>
  LANGUAGES.some((language) => language === text)

export const localeOf = (language: string): string => LOCALES[isLanguage(language) ? language : 'en']

/** Numbers in texts are written as the language does: 6,623 or 6.623. */
export const numbers: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _format, language = 'en') =>
    typeof value === 'number' ? formatsOf(isLanguage(language) ? language : 'en').number(value) : String(value ?? ''),
}

export const OPTIONS = {
  fallbackLng: false,
  interpolation: { escapeValue: false, alwaysFormat: true },
} satisfies InitOptions
