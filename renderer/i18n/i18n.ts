import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import { fetched } from '../api/fetched.ts'
import { numbers, OPTIONS } from './resources.ts'
import { firstLanguage, REMEMBERED, rememberedLanguage, TEXTS } from './texts.ts'
import { keepWords } from './words.ts'

const first = firstLanguage()
// `ask-early.ts` has started this import, so there is no second request.
const firstTexts = fetched(TEXTS[first])

export async function startI18n(): Promise<void> {
  const { texts, words } = await firstTexts
  keepWords(first, words)
  await i18next
    .use(numbers)
    .use(initReactI18next)
    .init({ ...OPTIONS, lng: first, resources: { [first]: { translation: texts } } })
  document.documentElement.lang = first
}

/** Fetches the texts of all languages, so that the owner can choose another at any time. */
export async function fetchTexts(): Promise<void> {
  await Promise.all(LANGUAGES.map(addTexts))
}

async function addTexts(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, 'translation')) return
  const { texts, words } = await fetched(TEXTS[language])
  keepWords(language, words)
  i18next.addResourceBundle(language, 'translation', texts)
}

/** Switches all texts at once, and remembers the language in this browser. */
export async function speak(language: Language): Promise<void> {
  localStorage.setItem(REMEMBERED, language)
  await addTexts(language)
  // Another language may have been chosen since then.
  if (i18next.language === language || rememberedLanguage() !== language) return
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}
