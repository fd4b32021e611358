import i18next, { type FormatterModule, type InitOptions } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import { en } from './en.ts'
import { id } from './id.ts'

/** Every text of the window, by language. */
export const RESOURCES: Record<Language, { translation: typeof en | typeof id }> = {
  en: { translation: en },
  id: { translation: id },
}

/** How a language calls itself, and how it writes numbers and times. */
export const LANGUAGE_INFO: Record<Language, { name: string; locale: string }> = {
  en: { name: 'English', locale: 'en-GB' },
  id: { name: 'Bahasa Indonesia', locale: 'id-ID' },
}

/** The last language, so that the first paint is right before the settings have been read. */
const REMEMBERED = 'kurir.language'

export const isLanguage = (text: string | null | undefined): text is Language =>
  LANGUAGES.some((language) => language === text)

export const localeOf = (language: string): string => LANGUAGE_INFO[isLanguage(language) ? language : 'en'].locale

/** Numbers in texts are written as the language does: 6,623 or 6.623. */
export const numbers: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _format, language = 'en') =>
    typeof value === 'number' ? value.toLocaleString(localeOf(language)) : String(value ?? ''),
}

export const OPTIONS = {
  fallbackLng: false,
  resources: RESOURCES,
  interpolation: { escapeValue: false, alwaysFormat: true },
} satisfies InitOptions

/** The language that this browser used last; null on a first visit. */
export function rememberedLanguage(): Language | null {
  const remembered = localStorage.getItem(REMEMBERED)
  return isLanguage(remembered) ? remembered : null
}

/** The language of the browser or the system; English for any that the window does not speak. */
export const browserLanguage = (): Language =>
  LANGUAGES.find((language) => navigator.language.toLowerCase().split('-')[0] === language) ?? 'en'

export function startI18n(): void {
  void i18next
    .use(numbers)
    .use(initReactI18next)
    .init({ ...OPTIONS, lng: rememberedLanguage() ?? browserLanguage() })
  document.documentElement.lang = i18next.language
}

/** Switches all texts at once and remembers it. */
export async function speak(language: Language): Promise<void> {
  localStorage.setItem(REMEMBERED, language)
  if (i18next.language === language) return
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}
