import type { Language } from '../contract/settings.ts'
import { en } from './en/index.ts'
import { id } from './id/index.ts'
import type { Words } from './say.ts'

/** All languages, for the server. The window fetches only its own language. */
export const WORDS: Readonly<Record<Language, Words>> = { en, id }
