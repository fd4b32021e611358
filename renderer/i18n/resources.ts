import type { FormatterModule, InitOptions } from 'i18next'
import type { Language } from '../../server/contract/settings.ts'
import { formatsOf } from '../../server/words/format.ts'
import { isLanguage } from './texts.ts'

/** Name of each language in itself. */
export const LANGUAGE_INFO: Record<Language, { name: string }> = {
  en: { name: 'English' },
  id: { name: 'Bahasa Indonesia' },
}

/** Writes numbers in texts as the language does: 6,623 or 6.623. */
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
