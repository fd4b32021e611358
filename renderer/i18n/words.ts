import type { Language } from '../../server/contract/settings.ts'
import type { Words } from '../../server/words/say.ts'
import { isLanguage } from './texts.ts'

const known = new Map<Language, Words>()

export const keepWords = (language: Language, words: Words): unknown => known.set(language, words)

/** Returns the server's words in a language. @throws Error before its texts were fetched */
export function wordsIn(language: string): Words {
  const words = isLanguage(language) ? known.get(language) : undefined
  if (words === undefined) throw new Error(`The texts of ${language} were not fetched.`)
  return words
}
