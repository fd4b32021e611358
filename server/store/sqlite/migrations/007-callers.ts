import type { Migration } from '../migrate.ts'

/** What callers got later: files that are sent along, priorities, opt-outs, replies that are passed on. */
export const callers: Migration = {
  version: 7,
  sql: `
ALTER TABLE messages ADD COLUMN filename TEXT;
ALTER TABLE messages ADD COLUMN file_sha256 TEXT;
-- 0 high, 1 normal, 2 low.
ALTER TABLE messages ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN purpose TEXT NOT NULL DEFAULT 'transactional';
CREATE INDEX messages_priority ON messages (lane_id, priority, next_at, seq) WHERE next_at IS NOT NULL;
CREATE INDEX messages_expiry ON messages (lane_id, expires_at) WHERE next_at IS NOT NULL;
-- A file that was sent along is named by the column file.
ALTER TABLE messages ADD COLUMN file_id TEXT AS (iif(substr(file, 1, 7) = 'upload:', substr(file, 8), NULL)) VIRTUAL;
CREATE INDEX messages_file ON messages (file_id) WHERE file_id IS NOT NULL;
ALTER TABLE api_keys ADD COLUMN refuse_duplicate_content_seconds INTEGER;

-- Bytes of each are in the folder files, under the id.
CREATE TABLE files (
  id TEXT PRIMARY KEY,
  key_number INTEGER,
  name TEXT NOT NULL,
  mimetype TEXT NOT NULL,
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX files_age ON files (expires_at);

-- Who does not want messages; sender 0: of any sender.
CREATE TABLE suppressions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sender_id INTEGER NOT NULL,
  phone TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('marketing', 'all')),
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (phone, sender_id)
) STRICT;

-- What customers write, sealed, until every endpoint that asked for it has it.
CREATE TABLE replies (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
  body BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX replies_age ON replies (expires_at);
-- Ids of messages that were passed on, or whose keyword was obeyed: WhatsApp and Meta repeat what they bring.
CREATE TABLE replies_seen (
  sender_id INTEGER NOT NULL,
  provider_message_id TEXT NOT NULL,
  done TEXT NOT NULL CHECK (done IN ('passed_on', 'obeyed')),
  at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, provider_message_id, done)
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_seen_age ON replies_seen (at);
`,
}
