import { useTranslation } from 'react-i18next'
import type { Words } from '../../server/words/say.ts'
import { wordsIn } from '../i18n/words.ts'

/** The words of the server in the language of the window. */
export const useWords = (): Words => wordsIn(useTranslation().i18n.language)
