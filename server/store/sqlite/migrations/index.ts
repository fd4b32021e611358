import type { Migration } from '../migrate.ts'
import { initial } from './001-initial.ts'
import { meta } from './002-meta.ts'
import { official } from './004-official.ts'

/** Keeps the number of a migration that is written on another branch. */
const reserved: Migration = { version: 3, sql: '' }

/** Of the main database, oldest first. A released one is never edited. */
export const migrations = [initial, meta, reserved, official] as const
