import type { Migration } from '../migrate.ts'

/** What the program keeps about itself leaves the owner's settings; official senders, too, count what they send. */
export const meta: Migration = {
  version: 2,
  sql: `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO meta (name, value) SELECT name, json_extract(value, '$') FROM settings WHERE name IN ('data_key', 'searched_up_to');
DELETE FROM settings WHERE name IN ('data_key', 'searched_up_to', 'probe');
ALTER TABLE lanes RENAME TO sending_state;
`,
}
