import type { Migration } from '../migrate.ts'

/**
 * Of the database of linked numbers. It is a file of its own because Signal keys change with every message and may be
 * committed with less care than messages: a lost step of a ratchet heals by a retry receipt, a lost message does not.
 */
export const sessionMigrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
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
`,
  },
]
