import type { Migration } from '../migrate.ts'

/**
 * What became of the messages of each day that is over (statements/tallies.ts), and those that reached their status more than
 * six days after they were accepted, which are next to none (statements/outcomes.ts). On PostgreSQL, callbacks that were
 * given up are counted in an index of them alone, and those that wait in the one that has them in their order.
 */
export const tallies: Migration = {
  version: 12,
  needs: 12,
  sql: `
CREATE TABLE tallied_days (
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  -- Null: its counts are not right yet, or not any more.
  tallied_at INTEGER,
  PRIMARY KEY (since, until)
) STRICT, WITHOUT ROWID;
CREATE TABLE message_tallies (
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The code of the failure of those that failed; otherwise empty.
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (since, until, sender_id, channel, status, reason)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_late ON messages (occurred_at) WHERE occurred_at - created_at > 518400000;
`,
  postgres: `
CREATE TABLE tallied_days (
  since BIGINT NOT NULL,
  until BIGINT NOT NULL,
  tallied_at BIGINT,
  PRIMARY KEY (since, until)
);
CREATE TABLE message_tallies (
  since BIGINT NOT NULL,
  until BIGINT NOT NULL,
  sender_id BIGINT NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (since, until, sender_id, channel, status, reason)
);
CREATE INDEX messages_late ON messages (occurred_at) WHERE occurred_at - created_at > 518400000;
CREATE INDEX deliveries_dead ON webhook_deliveries (endpoint_id) WHERE state = 'dead';
DROP VIEW delivery_counts;
CREATE VIEW delivery_counts AS
  SELECT endpoint_id, 'pending'::TEXT AS state, count(*) AS count FROM webhook_deliveries
  WHERE state = 'pending' GROUP BY endpoint_id
  UNION ALL
  SELECT endpoint_id, 'dead'::TEXT AS state, count(*) AS count FROM webhook_deliveries
  WHERE state = 'dead' GROUP BY endpoint_id;
`,
}
