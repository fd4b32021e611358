import { useTranslation } from 'react-i18next'
import type { Language } from '../../server/contract/settings.ts'
import { isLanguage, localeOf } from '../i18n/resources.ts'
import { createFormats, type Formats } from '../model/format.ts'

// Making them takes long enough to be felt in a list, and at the start.
const formats = new Map<Language, Formats>()

/** Numbers and times in the language of the window. */
export function useFormat(): Formats {
  const { language } = useTranslation().i18n
  const chosen = isLanguage(language) ? language : 'en'
  const known = formats.get(chosen) ?? createFormats(localeOf(chosen))
  formats.set(chosen, known)
  return known
}
