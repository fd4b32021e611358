import type { Migration } from '../migrate.ts'

/**
 * Every message is written into each index of its table, and every status into those that have it: five made lists of one
 * kind, two do (statements/message-list.ts), and what waits is in the order of its priority alone.
 */
const sql = `
DROP INDEX messages_due;
DROP INDEX messages_sender;
DROP INDEX messages_sender_status;
DROP INDEX messages_sender_template;
DROP INDEX messages_status;
DROP INDEX messages_template;
CREATE INDEX messages_status ON messages (status, channel, seq);
CREATE INDEX messages_sender ON messages (sender_id, status, channel, seq);
`

export const fewerIndexes: Migration = { version: 10, sql, postgres: sql }
