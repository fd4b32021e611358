import type { Migration } from '../statements.ts'
import { ACCOUNTS } from './schema-accounts.ts'
import { OWNER } from './schema-owner.ts'
import { SENDING } from './schema-sending.ts'

/**
 * The linked numbers' database. It is a file of its own because Signal keys change with every
 * message: their commits wait for no other ones, and no other ones for them.
 */
const SESSIONS = `
CREATE TABLE credentials (
  sender_id INTEGER NOT NULL,
  generation TEXT NOT NULL CHECK (generation IN ('current', 'last_good')),
  value BLOB NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE signal_keys (
  sender_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (sender_id, type, id)
) STRICT, WITHOUT ROWID;
`

/**
 * Oldest first. From the first release on, a released migration is never edited. Times are
 * milliseconds since 1970, 0 and 1 are no and yes. `server/store/<noun>.ts` explains what a row
 * means; postgres/ has the same tables and columns.
 */
export const migrations: readonly Migration[] = [{ version: 1, sql: SENDING + ACCOUNTS + OWNER }]
export const sessionMigrations: readonly Migration[] = [{ version: 1, sql: SESSIONS }]
