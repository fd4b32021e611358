import { useTranslation } from 'react-i18next'
import { type Formats, formatsOf } from '../../server/words/format.ts'
import { isLanguage } from '../i18n/texts.ts'

/** Numbers and times in the language of the window. */
export function useFormat(): Formats {
  const { language } = useTranslation().i18n
  return formatsOf(isLanguage(language) ? language : 'en')
}
