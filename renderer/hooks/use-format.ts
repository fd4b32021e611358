import { useTranslation } from 'react-i18next'
import { type Formats, formatsOf } from '../../server/words/format.ts'
import { isLanguage } from '../i18n/texts.ts'

/** Formats numbers and times in the window's language. */
export function useFormat(): Formats {
  const { language } = useTranslation().i18n
  return formatsOf(isLanguage(language) ? language : 'en')
}
