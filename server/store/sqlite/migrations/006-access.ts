import type { Migration } from '../migrate.ts'

/** Browsers that are logged in, calls that were refused, and lists of one sender that need not be searched through. */
export const access: Migration = {
  version: 6,
  sql: `
CREATE TABLE owner_sessions (
  id TEXT PRIMARY KEY,
  cookie_hash BLOB NOT NULL UNIQUE,
  page_hash BLOB NOT NULL,
  address TEXT NOT NULL,
  browser TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;

CREATE TABLE refused_calls (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  key_number INTEGER,
  address TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  field TEXT,
  problem TEXT,
  recipient TEXT
) STRICT;

CREATE INDEX messages_sender_status ON messages (sender_id, status, seq);
CREATE INDEX messages_sender_template ON messages (sender_id, seq) WHERE channel = 'template';
CREATE INDEX messages_sender_template_name ON messages (sender_id, template_name, seq) WHERE template_name IS NOT NULL;
`,
}
