import type { Migration } from '../statements.ts'
import { ACCOUNTS } from './schema-accounts.ts'
import { OWNER } from './schema-owner.ts'
import { SENDING } from './schema-sending.ts'

/**
 * Tables of linked numbers' keys, which SQLite has in a file of their own, and after them what only
 * nodes need.
 */
const NODES = `
CREATE TABLE credentials (
  sender_id BIGINT NOT NULL,
  generation TEXT NOT NULL CHECK (generation IN ('current', 'last_good')),
  value BYTEA NOT NULL,
  saved_at BIGINT NOT NULL,
  PRIMARY KEY (sender_id, generation)
);

CREATE TABLE signal_keys (
  sender_id BIGINT NOT NULL,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  value BYTEA NOT NULL,
  PRIMARY KEY (sender_id, type, id)
);

-- The words of messages, to be searched by their beginnings. Filled in the background.
CREATE TABLE messages_words (
  rowid BIGINT PRIMARY KEY,
  words TSVECTOR NOT NULL
);
CREATE INDEX messages_words_words ON messages_words USING GIN (words);
-- The server expects the beginning of a word in many messages, and would read them all instead of
-- the index. Inside this function it has no other choice.
CREATE FUNCTION messages_having(TSQUERY) RETURNS SETOF BIGINT LANGUAGE sql STABLE ROWS 100
  SET enable_seqscan = off SET enable_indexscan = off
  AS 'SELECT rowid FROM messages_words WHERE words @@ $1';

-- The bytes of uploads, a megabyte a row, so that any node may send them. They are written before
-- their row of files.
CREATE TABLE file_chunks (
  file_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  bytes BYTEA NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (file_id, number)
);

-- Uploads in an object store. A row is written before its object, and names the bucket.
CREATE TABLE file_objects (
  file_id TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- How often a table changed that nodes keep in memory.
CREATE TABLE table_versions (
  name TEXT PRIMARY KEY,
  version BIGINT NOT NULL
);

CREATE TABLE nodes (
  name TEXT PRIMARY KEY,
  -- A new one at every start, to tell two nodes of one name apart.
  instance TEXT NOT NULL,
  url TEXT,
  version TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at TIMESTAMPTZ NOT NULL,
  taken_over BIGINT NOT NULL DEFAULT 0,
  fenced BIGINT NOT NULL DEFAULT 0
);

-- The one node that sends for a sender. The epoch rises with each take-over.
CREATE TABLE sender_leases (
  sender_id BIGINT PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  node TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  until TIMESTAMPTZ NOT NULL
);
-- Fails the transaction unless a node still holds a sender; until its end a take-over waits, a
-- renewal does not.
CREATE FUNCTION hold_lease(BIGINT, VARCHAR, BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM sender_leases WHERE sender_id = $1 AND node = $2 AND epoch = $3 FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'sender % is held by another node', $1 USING ERRCODE = 'KU001';
  END IF;
END $$;
`

/**
 * Oldest first. From the first release on, a released migration is never edited. The tables and
 * columns are those of sqlite/, which explains them, with the same types under PostgreSQL's names
 * (`test/cluster/schema.test.ts` compares both schemas).
 */
export const migrations: readonly Migration[] = [{ version: 1, sql: SENDING + ACCOUNTS + OWNER + NODES }]
