import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import { isLanguage, numbers, OPTIONS, TEXTS } from './resources.ts'

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

/** The language of the first paint, and its texts. */
const first = rememberedLanguage() ?? browserLanguage()
const firstTexts = TEXTS[first]()

export async function startI18n(): Promise<void> {
  await i18next
    .use(numbers)
    .use(initReactI18next)
    .init({ ...OPTIONS, lng: first, resources: { [first]: { translation: await firstTexts } } })
  document.documentElement.lang = first
}

/** Has the texts of every language, so that another one can be chosen at any time. */
export async function fetchTexts(): Promise<void> {
  await Promise.all(LANGUAGES.map(addTexts))
}

async function addTexts(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(language, 'translation', await TEXTS[language]())
  }
}

/** Switches all texts at once and remembers it. */
export async function speak(language: Language): Promise<void> {
  localStorage.setItem(REMEMBERED, language)
  await addTexts(language)
  // Another one may have been chosen meanwhile.
  if (i18next.language === language || rememberedLanguage() !== language) return
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}
