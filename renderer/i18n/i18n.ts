import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'
import { id } from './id.ts'

export const LANGUAGES = ['en', 'id'] as const
export type Language = (typeof LANGUAGES)[number]
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', id: 'Bahasa Indonesia' }

/** The last language, so that the first paint is right before the settings have been read. */
const REMEMBERED = 'kurir.language'

const isLanguage = (text: string | null): text is Language => LANGUAGES.some((language) => language === text)

function firstLanguage(): Language {
  const remembered = localStorage.getItem(REMEMBERED)
  if (isLanguage(remembered)) return remembered
  return navigator.language.startsWith('id') ? 'id' : 'en'
}

export function startI18n(): void {
  void i18next.use(initReactI18next).init({
    lng: firstLanguage(),
    fallbackLng: false,
    resources: { en: { translation: en }, id: { translation: id } },
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = i18next.language
}

/** Switches every word at once. */
export async function speak(language: Language): Promise<void> {
  if (i18next.language === language) return
  localStorage.setItem(REMEMBERED, language)
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}
