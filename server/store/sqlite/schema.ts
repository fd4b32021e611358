import type { Migration } from '../statements.ts'
import { OWNER } from './schema-owner.ts'
import { SENDING } from './schema-sending.ts'

/** Tables of linked numbers and of official senders. */
const ACCOUNTS = `
CREATE TABLE contacts (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  phone TEXT NOT NULL,
  -- Null: WhatsApp said that this number has no account.
  jid TEXT,
  checked_at INTEGER NOT NULL,
  known INTEGER NOT NULL DEFAULT 0,
  -- Form of address for this contact alone, because WhatsApp refused the account's form. Valid
  -- while the account's form is form_while.
  form TEXT,
  form_while TEXT,
  -- Seconds after which messages of this chat disappear. timer_set_at is in seconds since 1970.
  timer INTEGER,
  timer_set_at INTEGER NOT NULL DEFAULT 0,
  last_message_at INTEGER,
  PRIMARY KEY (sender_id, phone)
) STRICT, WITHOUT ROWID;

-- Groups of a linked number, as WhatsApp last listed them.
CREATE TABLE sender_groups (
  sender_id INTEGER NOT NULL REFERENCES senders (id) ON DELETE CASCADE,
  jid TEXT NOT NULL,
  name TEXT NOT NULL,
  members INTEGER NOT NULL,
  can_send INTEGER NOT NULL,
  PRIMARY KEY (sender_id, jid)
) STRICT, WITHOUT ROWID;

-- Facts about a linked account, as JSON; none about its customers.
CREATE TABLE linked_facts (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  facts TEXT NOT NULL
) STRICT;

-- Meta's callbacks, stored before they are applied.
CREATE TABLE meta_inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  sender_ids TEXT NOT NULL,
  -- Emptied after it was applied.
  body BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  applied_at INTEGER
) STRICT;
CREATE INDEX meta_inbox_waiting ON meta_inbox (seq) WHERE applied_at IS NULL;
CREATE INDEX meta_inbox_applied ON meta_inbox (received_at) WHERE applied_at IS NOT NULL;

-- Statuses from Meta that came before Kurir knew the message id.
CREATE TABLE early_statuses (
  sender_id INTEGER NOT NULL,
  provider_message_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (sender_id, provider_message_id, status)
) STRICT, WITHOUT ROWID;

-- Facts from Meta about an official sender. checks, account, number, news and limit_change are
-- JSON.
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
  -- Why Meta stopped the template, from a callback. Null once it may be sent again.
  trouble TEXT,
  -- JSON: the category to which Meta will change the template, and when.
  coming TEXT,
  PRIMARY KEY (sender_id, name, language)
) STRICT, WITHOUT ROWID;

-- People to whom Meta delivers no marketing messages of this sender until then (131049).
CREATE TABLE marketing_holds (
  sender_id INTEGER NOT NULL,
  recipient TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (sender_id, recipient)
) STRICT, WITHOUT ROWID;

`

/**
 * Database of linked numbers. Signal keys change with every message, so they are in a file of their
 * own: neither their commits nor those of the main database wait for each other.
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
 * Migrations, oldest first. From the first release on, a released migration is never edited. Times
 * are milliseconds since 1970; 0 and 1 are false and true. `server/store/<noun>.ts` explains the
 * rows; postgres/ has the same tables and columns.
 */
export const migrations: readonly Migration[] = [{ version: 1, sql: SENDING + ACCOUNTS + OWNER }]
export const sessionMigrations: readonly Migration[] = [{ version: 1, sql: SESSIONS }]
