import { useTranslation } from 'react-i18next'
import { LANGUAGES, type Language } from '../../server/contract/settings.ts'
import { isLanguage, localeOf } from '../i18n/resources.ts'
import { createFormats, type Formats } from '../model/format.ts'

// Making them takes long enough to be felt in a list.
const FORMATS = Object.fromEntries(LANGUAGES.map((one) => [one, createFormats(localeOf(one))])) as Record<
  Language,
  Formats
>

/** Numbers and times in the language of the window. */
export function useFormat(): Formats {
  const { language } = useTranslation().i18n
  return FORMATS[isLanguage(language) ? language : 'en']
}
