import type { Migration } from '../migration.ts'

/**
 * Times are milliseconds since 1970, 0 and 1 are no and yes. `server/store/<noun>.ts` explains what
 * a row means; postgres/schema.ts has the same tables and columns.
 */
const MAIN = `
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
  account_name TEXT,
  -- JSON: the ids at Meta.
  official TEXT,
  -- Sealed.
  secrets BLOB,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- The last connection event that callers received.
  announced TEXT NOT NULL DEFAULT 'sender.linked',
  reason_detail TEXT,
  until INTEGER,
  no_connection_before INTEGER,
  -- Set while messages wait because another number was linked, until the owner confirms the new
  -- number.
  previous_phone TEXT,
  -- JSON.
  first_contacts TEXT,
  heard_restricted INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The counters behind pacing, daily caps and restrictions.
CREATE TABLE sending_state (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id),
  paced_until INTEGER NOT NULL DEFAULT 0,
  -- The local day that sent_on_day counts.
  day TEXT NOT NULL DEFAULT '',
  sent_on_day INTEGER NOT NULL DEFAULT 0,
  last_sent_at INTEGER,
  restricted_until INTEGER NOT NULL DEFAULT 0,
  restrictions INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  -- Rows of other tables name a key by this number.
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

-- A message row is its own job: next_at says when its lane looks at it again, null that nothing is
-- left to do.
CREATE TABLE messages (
  -- No number is given out twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  sender_id INTEGER NOT NULL REFERENCES senders (id),
  key_number INTEGER,
  channel TEXT NOT NULL CHECK (channel IN ('standard', 'template')),
  recipient TEXT NOT NULL,
  -- An address, or 'upload:' and the id of a row of files.
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
  -- The sender whose lane works on the message: its own sender, or the official one of its second
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
  -- 1: its caller named it as a moment; 0: a delay.
  due_named INTEGER NOT NULL DEFAULT 0,
  -- 0 ours, 1 a length that its caller named, 2 a moment that its caller named.
  end_named INTEGER NOT NULL DEFAULT 0,
  purpose TEXT NOT NULL DEFAULT 'transactional',
  -- JSON, of a message to a group.
  receipts TEXT,
  -- The sender that it waited for first, where the owner moved it to another one.
  moved_from INTEGER,
  -- What may be long comes last: to reach a column behind it, the pages of all of it would be read.
  -- JSON text exactly as it came, so that numbers keep their digits.
  metadata TEXT,
  -- JSON.
  template TEXT,
  body TEXT,
  file_id TEXT AS (iif(substr(file, 1, 7) = 'upload:', substr(file, 8), NULL)) VIRTUAL
) STRICT;
-- Each index costs every insert.
CREATE INDEX messages_provider ON messages (provider_message_id) WHERE provider_message_id IS NOT NULL;
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
-- Lists are put together from pieces of these two (message-list.ts).
CREATE INDEX messages_status ON messages (status, channel, seq);
CREATE INDEX messages_sender ON messages (sender_id, status, channel, seq);

-- The members of a group that a message was written to, in the order of the bits of its receipts.
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

-- What WhatsApp was given, for later attempts and for phones that ask for a message again.
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

-- seq is the timeline, the cursor of the live stream and the identity of a callback.
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
  -- Sealed.
  secret BLOB NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  -- JSON: [{ secret (sealed, in hex), until }].
  replaced_secrets TEXT NOT NULL DEFAULT '[]',
  last_delivered_at INTEGER,
  last_error_code TEXT,
  last_error_status INTEGER,
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

-- Counted by the triggers below: counting hundreds of thousands of deliveries for a page would stop
-- everything.
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

CREATE TABLE contacts (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  -- Null: WhatsApp said that this number has no account.
  jid TEXT,
  checked_at INTEGER NOT NULL,
  known INTEGER NOT NULL DEFAULT 0,
  -- How the contact is addressed although the account uses the other form, because WhatsApp refused
  -- that one.
  form TEXT,
  form_while TEXT,
  -- Messages of this chat disappear after so many seconds. Here timer_set_at is in seconds since
  -- 1970.
  timer INTEGER,
  timer_set_at INTEGER NOT NULL DEFAULT 0,
  last_message_at INTEGER,
  PRIMARY KEY (sender_id, phone)
) STRICT, WITHOUT ROWID;

-- Groups that a linked number is in, as WhatsApp named them last.
CREATE TABLE sender_groups (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  jid TEXT NOT NULL,
  name TEXT NOT NULL,
  members INTEGER NOT NULL,
  can_send INTEGER NOT NULL,
  PRIMARY KEY (sender_id, jid)
) STRICT, WITHOUT ROWID;

-- JSON: what is known of a linked account; nothing about its customers.
CREATE TABLE linked_facts (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  facts TEXT NOT NULL
) STRICT;

-- Meta's callbacks: stored first, applied afterwards.
CREATE TABLE meta_inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  sender_ids TEXT NOT NULL,
  -- Emptied once it is applied.
  body BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  applied_at INTEGER
) STRICT;
CREATE INDEX meta_inbox_waiting ON meta_inbox (seq) WHERE applied_at IS NULL;
CREATE INDEX meta_inbox_applied ON meta_inbox (received_at) WHERE applied_at IS NOT NULL;

-- Statuses whose message id is not known yet.
CREATE TABLE early_statuses (
  sender_id INTEGER NOT NULL,
  provider_message_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, provider_message_id, status)
) STRICT, WITHOUT ROWID;

-- What Meta says of an official sender. checks, account, number, news and limit_change are JSON.
CREATE TABLE official_facts (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  checks TEXT NOT NULL DEFAULT '[]',
  checked_at INTEGER,
  templates_synced_at INTEGER,
  last_status_at INTEGER,
  setup_reason TEXT,
  account TEXT,
  number TEXT,
  news TEXT NOT NULL DEFAULT '[]',
  token_ends_at INTEGER,
  limit_change TEXT
) STRICT;

CREATE TABLE templates (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  -- JSON, as Meta lists it.
  body TEXT NOT NULL,
  synced_at INTEGER NOT NULL,
  -- Set by a callback from Meta until the template may be sent again.
  trouble TEXT,
  -- JSON: the category to which Meta will change the template, and when.
  coming TEXT,
  PRIMARY KEY (sender_id, name, language)
) STRICT, WITHOUT ROWID;

-- People to whom Meta delivers no marketing message from this sender until then (131049).
CREATE TABLE marketing_holds (
  sender_id INTEGER NOT NULL,
  recipient TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (sender_id, recipient)
) STRICT, WITHOUT ROWID;

-- The book of figures (figures.ts): messages that were accepted in a quarter of an hour by what they
-- are now, and what happened in it. Each node counts in its own rows, so that a node that stops in
-- the middle of a transaction locks no row that others need. node is '' where there is one program.
CREATE TABLE figures (
  quarter INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  -- The failure code of failed messages, otherwise ''.
  reason TEXT NOT NULL,
  -- JSON: what Meta reported of billed messages, otherwise ''.
  pricing TEXT NOT NULL,
  node TEXT NOT NULL,
  queued INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  sending INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  read INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  became_sent INTEGER NOT NULL,
  became_delivered INTEGER NOT NULL,
  became_read INTEGER NOT NULL,
  became_failed INTEGER NOT NULL,
  billed INTEGER NOT NULL,
  -- Messages that took their second road in a month, in the first quarter of an hour of the month.
  second_road INTEGER NOT NULL,
  PRIMARY KEY (pricing, quarter, sender_id, channel, reason, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX figures_billed ON figures (quarter) WHERE pricing <> '';

-- Browsers that are logged in.
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
  recipient TEXT,
  -- Its group: calls of one caller with one mistake. The columns told, often and seen are 0 or 1.
  group_id TEXT NOT NULL,
  hint TEXT,
  program TEXT,
  looks_like TEXT,
  told INTEGER NOT NULL,
  times INTEGER NOT NULL,
  since INTEGER NOT NULL,
  often INTEGER NOT NULL,
  seen INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX refused_calls_group ON refused_calls (group_id, seq);

-- What owners did. A row is begun before the act, and done after it.
CREATE TABLE owner_acts (
  -- The number of an act that came to nothing is given again: what is refused leaves no trace.
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  acted_by TEXT NOT NULL,
  browser TEXT,
  address TEXT,
  act TEXT NOT NULL,
  thing TEXT,
  -- JSON: a list of texts.
  details TEXT NOT NULL,
  done INTEGER NOT NULL
) STRICT;
CREATE INDEX owner_acts_age ON owner_acts (at);

-- Texts that the owner keeps for later messages.
CREATE TABLE saved_texts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

-- Receipts that came by the printer port. The bytes are the last column: a list does not read them.
CREATE TABLE prints (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  error TEXT,
  title TEXT NOT NULL DEFAULT '',
  phone TEXT,
  reference TEXT,
  digest TEXT NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX prints_status ON prints (status, seq);
CREATE INDEX prints_digest ON prints (digest, seq);

-- Files that came by the drop folder.
CREATE TABLE drops (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  digest TEXT UNIQUE,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  moved_as TEXT,
  status TEXT NOT NULL CHECK (status IN ('new', 'accepted', 'moved', 'refused')),
  reason TEXT,
  phone TEXT,
  reference TEXT
) STRICT;
CREATE INDEX drops_status ON drops (status, seq);
CREATE INDEX drops_at ON drops (at);

-- Tables of the owner's: each row becomes a message.
CREATE TABLE send_tables (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- JSON: a list of names.
  columns TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reading', 'draft', 'planned', 'going', 'paused', 'cancelled')),
  busy INTEGER NOT NULL DEFAULT 0,
  row_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  planned_at INTEGER,
  -- JSON.
  plan TEXT
) STRICT;

CREATE TABLE send_table_rows (
  table_id TEXT NOT NULL REFERENCES send_tables (id) ON DELETE CASCADE,
  row_number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  -- JSON: a list of texts.
  cells TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  message_id TEXT,
  -- JSON.
  refusal TEXT,
  taken INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (table_id, row_number)
) STRICT;

-- Uploads. The bytes are in the folder files, under the id.
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

-- People who opted out. Sender 0 means every sender.
CREATE TABLE suppressions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sender_id INTEGER NOT NULL,
  phone TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('marketing', 'all')),
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (phone, sender_id)
) STRICT;

-- Customers' replies, sealed, until every endpoint that asked for them has them.
CREATE TABLE replies (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
  -- Whoever wrote has the same number here; it says nothing of who that is.
  author INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  body BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX replies_author ON replies (author, bytes);
CREATE INDEX replies_age ON replies (expires_at);

-- Replies that were passed on, or whose keyword was obeyed: WhatsApp and Meta deliver some more
-- than once. opted_in: when a recipient, in place of the id, last wanted marketing messages again.
CREATE TABLE replies_seen (
  sender_id INTEGER NOT NULL,
  provider_message_id TEXT NOT NULL,
  done TEXT NOT NULL CHECK (done IN ('passed_on', 'obeyed', 'opted_in')),
  at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, provider_message_id, done)
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_seen_age ON replies_seen (at);

-- The owner's settings.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- What the program keeps about itself.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Filled in the background, so that no caller waits while words are split. With the sender, so that
-- a search of one sender skips the words of the others.
CREATE VIRTUAL TABLE messages_words USING fts5 (
  sender, numbers, body, reference, template, content = '', contentless_delete = 1, prefix = '2 3 4 5 6 7 8',
  tokenize = 'unicode61 remove_diacritics 2'
);
`

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

// Oldest first. From the first release on, a released migration is never edited.
export const migrations: readonly Migration[] = [{ version: 1, sql: MAIN }]
export const sessionMigrations: readonly Migration[] = [{ version: 1, sql: SESSIONS }]
