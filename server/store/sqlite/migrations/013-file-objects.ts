import type { Migration } from '../migrate.ts'

/** Files of several nodes may be in an object store. A row is there before its object, and names the bucket. */
export const fileObjects: Migration = {
  version: 13,
  sql: '',
  postgres: `
CREATE TABLE file_objects (
  file_id TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now()
);
`,
}
