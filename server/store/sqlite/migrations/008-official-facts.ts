import type { Migration } from '../migrate.ts'

/** When the access token of an official sender ends, and how Meta last changed its limit. */
export const officialFacts: Migration = {
  version: 8,
  sql: `
ALTER TABLE official_facts ADD COLUMN token_ends_at INTEGER;
ALTER TABLE official_facts ADD COLUMN limit_change TEXT;
`,
}
