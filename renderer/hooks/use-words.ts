import { useTranslation } from 'react-i18next'
import type { Words } from '../../server/words/say.ts'
import { wordsIn } from '../i18n/words.ts'

/** The server's words in the window's language. */
export const useWords = (): Words => wordsIn(useTranslation().i18n.language)
