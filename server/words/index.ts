import type { Language } from '../contract/settings.ts'
import { en } from './en/index.ts'
import { id } from './id/index.ts'
import type { Words } from './say.ts'

/** Every language at once: for the server. The window fetches the one that it speaks. */
export const WORDS: Readonly<Record<Language, Words>> = { en, id }
