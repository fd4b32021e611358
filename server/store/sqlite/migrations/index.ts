import { initial } from './001-initial.ts'

/** Of the main database, oldest first. A released one is never edited. */
export const migrations = [initial] as const
