import type { Migration } from '../migrate.ts'

/**
 * Browsers that are logged in, calls that were refused, members that a route did not know, and lists of one sender that
 * need not be searched through.
 */
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

-- A JSON list of names.
ALTER TABLE messages ADD COLUMN unknown_members TEXT;

-- With the sender, so that a search of one sender skips the words of the others. Filled in the background.
DROP TABLE messages_words;
CREATE VIRTUAL TABLE messages_words USING fts5 (
  sender, numbers, body, reference, template, content = '', contentless_delete = 1, prefix = '2 3 4 5 6 7 8', tokenize = 'unicode61 remove_diacritics 2'
);
DELETE FROM meta WHERE name = 'searched_up_to';

CREATE INDEX messages_sender_status ON messages (sender_id, status, seq);
CREATE INDEX messages_sender_template ON messages (sender_id, seq) WHERE channel = 'template';
CREATE INDEX messages_sender_template_name ON messages (sender_id, template_name, seq) WHERE template_name IS NOT NULL;
`,
}
