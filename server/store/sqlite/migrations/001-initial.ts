import type { Migration } from '../migrate.ts'

/** Times are milliseconds since 1970. A message row is its own job: `next_at` says when its lane looks at it again. */
export const initial: Migration = {
  version: 1,
  sql: `
CREATE TABLE senders (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('linked', 'official', 'sandbox')),
  settings TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  since INTEGER NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  phone TEXT,
  account_name TEXT,
  official TEXT,
  secrets BLOB,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

CREATE TABLE lanes (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id),
  paced_until INTEGER NOT NULL DEFAULT 0,
  day TEXT NOT NULL DEFAULT '',
  sent_on_day INTEGER NOT NULL DEFAULT 0,
  last_sent_at INTEGER,
  restricted_until INTEGER NOT NULL DEFAULT 0,
  restrictions INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('global', 'device')),
  name TEXT NOT NULL,
  sender_id INTEGER REFERENCES senders (id),
  hash BLOB NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  refuse_duplicate_reference INTEGER NOT NULL DEFAULT 0,
  rate_limit INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  sender_id INTEGER NOT NULL REFERENCES senders (id),
  key_number INTEGER,
  channel TEXT NOT NULL CHECK (channel IN ('standard', 'template')),
  recipient TEXT NOT NULL,
  body TEXT,
  file TEXT,
  template TEXT,
  template_name TEXT,
  reference_id TEXT,
  metadata TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  next_at INTEGER,
  occurred_at INTEGER NOT NULL,
  provider_message_id TEXT,
  pricing_category TEXT,
  error TEXT
) STRICT;
CREATE INDEX messages_due ON messages (sender_id, next_at, seq) WHERE next_at IS NOT NULL;
CREATE INDEX messages_provider ON messages (provider_message_id) WHERE provider_message_id IS NOT NULL;
CREATE INDEX messages_reference ON messages (reference_id, seq) WHERE reference_id IS NOT NULL;
CREATE INDEX messages_sender ON messages (sender_id, seq);
CREATE INDEX messages_status ON messages (status, seq);
CREATE INDEX messages_template ON messages (status, seq) WHERE channel = 'template';
CREATE INDEX messages_template_name ON messages (template_name, seq) WHERE template_name IS NOT NULL;
CREATE INDEX messages_recipient ON messages (recipient, seq);

CREATE TABLE message_attempts (
  message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  reason TEXT,
  PRIMARY KEY (message_seq, number)
) STRICT, WITHOUT ROWID;

-- What WhatsApp was given, for attempts after the first and for phones that ask for a message again.
CREATE TABLE message_contents (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;

-- What Meta was asked and answered.
CREATE TABLE provider_calls (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  request TEXT NOT NULL,
  http_status INTEGER,
  answer TEXT
) STRICT;

-- seq is the timeline, the cursor of the live stream and the identity of a callback.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  message_seq INTEGER REFERENCES messages (seq) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_message ON events (message_seq) WHERE message_seq IS NOT NULL;

-- Statuses reached a day (local time), for the first page: counting events would read them all.
CREATE TABLE daily_counts (
  day TEXT NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  sender_codes TEXT,
  enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id INTEGER NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  event_seq INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
  message_seq INTEGER,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  tries INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due ON webhook_deliveries (endpoint_id, next_at, id) WHERE state = 'pending';
CREATE INDEX deliveries_order ON webhook_deliveries (message_seq, endpoint_id, id) WHERE state = 'pending';
CREATE INDEX deliveries_state ON webhook_deliveries (state, id);
CREATE INDEX deliveries_endpoint ON webhook_deliveries (endpoint_id, id);
CREATE INDEX deliveries_message ON webhook_deliveries (message_seq);
CREATE INDEX deliveries_event ON webhook_deliveries (event_seq);

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  body TEXT,
  took_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_delivery ON webhook_attempts (delivery_id, id);

CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash BLOB NOT NULL,
  message_id TEXT,
  status INTEGER,
  answer TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE contacts (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  jid TEXT,
  checked_at INTEGER NOT NULL,
  known INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (sender_id, phone)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta_inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  sender_ids TEXT NOT NULL,
  body BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  applied_at INTEGER,
  note TEXT
) STRICT;
CREATE INDEX meta_inbox_waiting ON meta_inbox (seq) WHERE applied_at IS NULL;

-- Statuses whose message id is not known yet.
CREATE TABLE early_statuses (
  sender_id INTEGER NOT NULL,
  provider_message_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, provider_message_id, status)
) STRICT, WITHOUT ROWID;

-- What is known of an official sender beside what its owner entered.
CREATE TABLE official_facts (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  checks TEXT NOT NULL DEFAULT '[]',
  checked_at INTEGER,
  templates_synced_at INTEGER,
  last_status_at INTEGER
) STRICT;

CREATE TABLE templates (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  body TEXT NOT NULL,
  synced_at INTEGER NOT NULL,
  -- Set by a callback of Meta, until the template may be sent again.
  trouble TEXT,
  PRIMARY KEY (sender_id, name, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- Filled in the background (see message-search): no word is split while a caller waits.
CREATE VIRTUAL TABLE messages_words USING fts5 (
  numbers, body, reference, template, content = '', contentless_delete = 1, prefix = '2 3 4 5 6 7 8', tokenize = 'unicode61 remove_diacritics 2'
);
`,
}
