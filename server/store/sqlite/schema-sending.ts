/** Tables of senders, their messages and callbacks. */
export const SENDING = `
CREATE TABLE senders (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('linked', 'official', 'sandbox')),
  -- JSON.
  settings TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  since INTEGER NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  phone TEXT,
  -- When another number replaced the previous one; null: never.
  phone_since INTEGER,
  account_name TEXT,
  -- JSON: Meta's ids of the number and its account.
  official TEXT,
  -- Encrypted.
  secrets BLOB,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- Name of the last event about the connection that endpoints received.
  announced TEXT NOT NULL DEFAULT 'sender.linked',
  reason_detail TEXT,
  until INTEGER,
  no_connection_before INTEGER,
  -- The old number, if another one was linked while messages waited. Null once the owner has
  -- confirmed the new number.
  previous_phone TEXT,
  -- JSON.
  first_contacts TEXT,
  heard_restricted INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Counters for pacing, daily caps and restrictions.
CREATE TABLE sending_state (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id),
  paced_until INTEGER NOT NULL DEFAULT 0,
  -- The local day that sent_on_day belongs to.
  day TEXT NOT NULL DEFAULT '',
  sent_on_day INTEGER NOT NULL DEFAULT 0,
  last_sent_at INTEGER,
  restricted_until INTEGER NOT NULL DEFAULT 0,
  restrictions INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  -- Rows of other tables refer to a key by this number.
  number INTEGER NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('global', 'device')),
  name TEXT NOT NULL,
  sender_id INTEGER REFERENCES senders (id),
  hash BLOB NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  refuse_duplicate_reference INTEGER NOT NULL DEFAULT 0,
  -- Calls a minute.
  rate_limit INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER,
  refuse_duplicate_content_seconds INTEGER,
  scopes TEXT NOT NULL DEFAULT 'all' CHECK (scopes IN ('all', 'read'))
) STRICT;

-- A message row is also its own job. next_at: when its lane looks at the message again; null:
-- nothing is left to do.
CREATE TABLE messages (
  -- AUTOINCREMENT: no number is reused after a row was removed.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  sender_id INTEGER NOT NULL REFERENCES senders (id),
  key_number INTEGER,
  channel TEXT NOT NULL CHECK (channel IN ('standard', 'template')),
  recipient TEXT NOT NULL,
  -- An address, or 'upload:' and an id of table files.
  file TEXT,
  template_name TEXT,
  reference_id TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  next_at INTEGER,
  occurred_at INTEGER NOT NULL,
  provider_message_id TEXT,
  -- JSON.
  error TEXT,
  -- The sender whose lane sends the message: its own sender, or the official sender of its second
  -- road.
  lane_id INTEGER NOT NULL DEFAULT 0,
  -- JSON.
  pricing TEXT,
  recipient_user_id TEXT,
  -- JSON: a list of names.
  unknown_members TEXT,
  filename TEXT,
  file_sha256 TEXT,
  -- 0 high, 1 normal, 2 low.
  priority INTEGER NOT NULL DEFAULT 1,
  -- 1: the caller named due_at as a moment; 0: as a delay, or not at all.
  due_named INTEGER NOT NULL DEFAULT 0,
  -- expires_at is 0 our default, 1 a length or 2 a moment that the caller named.
  end_named INTEGER NOT NULL DEFAULT 0,
  purpose TEXT NOT NULL DEFAULT 'transactional',
  -- JSON; only for a message to a group.
  receipts TEXT,
  -- The message's first sender, if the owner moved the message to another one.
  moved_from INTEGER,
  -- Long columns are last, because SQLite reads all their pages to reach a column behind them.
  -- JSON exactly as the caller wrote it, so that numbers keep their digits.
  metadata TEXT,
  -- JSON.
  template TEXT,
  body TEXT,
  file_id TEXT AS (iif(substr(file, 1, 7) = 'upload:', substr(file, 8), NULL)) VIRTUAL
) STRICT;
-- Each index makes every insert slower.
CREATE INDEX messages_provider ON messages (provider_message_id) WHERE provider_message_id IS NOT NULL;
CREATE INDEX messages_recipient_user ON messages (recipient_user_id, seq) WHERE recipient_user_id IS NOT NULL;
CREATE INDEX messages_reference ON messages (reference_id, seq) WHERE reference_id IS NOT NULL;
CREATE INDEX messages_template_name ON messages (template_name, seq) WHERE template_name IS NOT NULL;
CREATE INDEX messages_recipient ON messages (recipient, seq);
CREATE INDEX messages_created ON messages (created_at, seq);
CREATE INDEX messages_sender_created ON messages (sender_id, created_at, seq);
CREATE INDEX messages_sender_template_name ON messages (sender_id, template_name, seq) WHERE template_name IS NOT NULL;
-- The order in which a lane sends.
CREATE INDEX messages_priority ON messages (lane_id, priority, next_at, seq) WHERE next_at IS NOT NULL;
CREATE INDEX messages_expiry ON messages (lane_id, expires_at) WHERE next_at IS NOT NULL;
CREATE INDEX messages_file ON messages (file_id) WHERE file_id IS NOT NULL;
-- Lists are merged from pieces of these two indexes (large-reads.ts).
CREATE INDEX messages_status ON messages (status, channel, seq);
CREATE INDEX messages_sender ON messages (sender_id, status, channel, seq);

-- Members of a group to whom a message was sent, in the order of the bits in messages.receipts.
CREATE TABLE message_members (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  -- JSON: a list of lists of addresses.
  members TEXT NOT NULL
) STRICT;

CREATE TABLE message_attempts (
  message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  reason TEXT,
  PRIMARY KEY (message_seq, number)
) STRICT, WITHOUT ROWID;

-- Content as given to WhatsApp, for later attempts and for phones that ask for a message again.
CREATE TABLE message_contents (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;

-- The last request to Meta for a message, with Meta's answer.
CREATE TABLE provider_calls (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  request TEXT NOT NULL,
  http_status INTEGER,
  answer TEXT
) STRICT;

-- seq gives the order of events, and is the cursor of the live stream and the id of a callback.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  message_seq INTEGER REFERENCES messages (seq) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  -- JSON.
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_message ON events (message_seq) WHERE message_seq IS NOT NULL;
CREATE INDEX events_without_message ON events (recorded_at) WHERE message_seq IS NULL;

CREATE TABLE webhook_endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  -- JSON: a list of names.
  events TEXT NOT NULL,
  -- JSON: a list; null: every sender.
  sender_codes TEXT,
  enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  -- Encrypted.
  secret BLOB NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  -- JSON: [{ secret (encrypted, in hex), until }].
  replaced_secrets TEXT NOT NULL DEFAULT '[]',
  last_delivered_at INTEGER,
  last_error_code TEXT,
  last_error_status INTEGER,
  failing_since INTEGER,
  format TEXT NOT NULL DEFAULT 'kurir'
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

-- The triggers below keep the counts, because counting hundreds of thousands of deliveries for a
-- page would block all other work.
CREATE TABLE delivery_counts (
  endpoint_id INTEGER NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER delivery_added AFTER INSERT ON webhook_deliveries WHEN NEW.state <> 'delivered' BEGIN
  INSERT INTO delivery_counts (endpoint_id, state, count) VALUES (NEW.endpoint_id, NEW.state, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_changed AFTER UPDATE OF state ON webhook_deliveries WHEN NEW.state <> OLD.state BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE endpoint_id = OLD.endpoint_id AND state = OLD.state;
  INSERT INTO delivery_counts (endpoint_id, state, count) SELECT NEW.endpoint_id, NEW.state, 1 WHERE NEW.state <> 'delivered'
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_removed AFTER DELETE ON webhook_deliveries WHEN OLD.state <> 'delivered' BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE endpoint_id = OLD.endpoint_id AND state = OLD.state;
END;

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  body TEXT,
  took_ms INTEGER NOT NULL,
  error_code TEXT
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

`
