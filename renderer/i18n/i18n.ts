import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import { isLanguage, numbers, OPTIONS } from './resources.ts'

/** The last language, so that the first paint is right before the settings have been read. */
const REMEMBERED = 'kurir.language'

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
