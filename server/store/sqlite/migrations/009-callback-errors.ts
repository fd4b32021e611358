import type { Migration } from '../migrate.ts'

/** Why a callback was not taken, as a code besides the sentence. Attempts of before have none. */
export const callbackErrors: Migration = {
  version: 9,
  sql: `
ALTER TABLE webhook_attempts ADD COLUMN error_code TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN last_error_code TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN last_error_status INTEGER;
`,
  postgres: `
ALTER TABLE webhook_attempts ADD COLUMN error_code TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN last_error_code TEXT, ADD COLUMN last_error_status BIGINT;
`,
}
