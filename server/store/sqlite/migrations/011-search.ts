import type { Migration } from '../migrate.ts'

/**
 * PostgreSQL takes the beginning of a word for one that many messages have, and then reads all of them instead of its index
 * of words. In a function of its own it has no other choice.
 */
export const search: Migration = {
  version: 11,
  sql: '',
  postgres: `
CREATE FUNCTION messages_having(TSQUERY) RETURNS SETOF BIGINT LANGUAGE sql STABLE ROWS 100
  SET enable_seqscan = off SET enable_indexscan = off
  AS 'SELECT rowid FROM messages_words WHERE words @@ $1';
`,
}
