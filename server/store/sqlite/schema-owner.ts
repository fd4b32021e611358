/** Tables of counts, of the owner's data, and of features that a shop may not use. */
export const OWNER = `
-- The book of figures (figures.ts): counts the messages that were accepted in a quarter of an hour
-- by their present status, and what happened in it. Each node has its own rows, so that a node that
-- stops in the middle of a transaction locks no row of another. node is '' without nodes.
CREATE TABLE figures (
  quarter INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  -- Failure code of failed messages; '' for all others.
  reason TEXT NOT NULL,
  -- Meta's price report of billed messages, as JSON; '' for all others.
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
  -- Messages of a whole month that took the second road, in the month's first quarter of an hour.
  second_road INTEGER NOT NULL,
  PRIMARY KEY (pricing, quarter, sender_id, channel, reason, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX figures_billed ON figures (quarter) WHERE pricing <> '';

-- Browsers that are logged in as the owner.
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
  -- Groups the calls of one caller with the same mistake. told, often and seen are 0 or 1.
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

-- Changes made by owners. A row is written before the act, and done is set after it.
CREATE TABLE owner_acts (
  -- Without AUTOINCREMENT: the seq of a refused act is reused, so a refusal leaves no gap.
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

-- Texts that the owner saved for later messages.
CREATE TABLE saved_texts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

-- Receipts from the printer port. content is the last column, so that lists do not read its bytes.
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

-- Files from the drop folder.
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
  reference TEXT,
  row_count INTEGER
) STRICT;
CREATE INDEX drops_status ON drops (status, seq);
CREATE INDEX drops_at ON drops (at);

-- The owner's tables. Each row of a table becomes a message.
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

-- Uploads. Their bytes are in the folder files, under the id.
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

-- People who opted out. sender_id 0: of all senders.
CREATE TABLE suppressions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sender_id INTEGER NOT NULL,
  phone TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('marketing', 'all')),
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (phone, sender_id)
) STRICT;

-- Customers' replies, encrypted, until every endpoint that asked for them has received them.
CREATE TABLE replies (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
  -- Hash of sender and customer, to count one customer's replies.
  author INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  body BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX replies_author ON replies (author, bytes);
CREATE INDEX replies_age ON replies (expires_at);

-- Replies that were passed on or whose keyword was obeyed, because WhatsApp and Meta deliver some
-- more than once. opted_in: provider_message_id names a recipient, and at is the last opt-in.
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

-- Facts that the program stores about itself.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Index of words. Filled in the background, so that no caller waits while words are split. Contains
-- the sender, so that a search in one sender's messages skips those of the others.
CREATE VIRTUAL TABLE messages_words USING fts5 (
  sender, numbers, body, reference, template, content = '', contentless_delete = 1, prefix = '2 3 4 5 6 7 8',
  tokenize = 'unicode61 remove_diacritics 2'
);
`
