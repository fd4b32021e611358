import type { Migration } from '../migrate.ts'

/**
 * Each node counts in rows of its own: one that stands still in the middle of a transaction keeps its rows locked, and those
 * of all nodes would be what every status change of the others waits for. Empty: where there is one program.
 */
export const countsOfNodes: Migration = {
  version: 14,
  // Counts are added by another primary key.
  needs: 14,
  sql: `
CREATE TABLE counts_of_nodes (
  day TEXT NOT NULL,
  status TEXT NOT NULL,
  node TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, status, node)
) STRICT, WITHOUT ROWID;
INSERT INTO counts_of_nodes (day, status, node, count) SELECT day, status, '', count FROM daily_counts;
DROP TABLE daily_counts;
ALTER TABLE counts_of_nodes RENAME TO daily_counts;
`,
  postgres: `
ALTER TABLE daily_counts ADD COLUMN node TEXT NOT NULL DEFAULT '', DROP CONSTRAINT daily_counts_pkey,
  ADD PRIMARY KEY (day, status, node);
ALTER TABLE daily_counts ALTER COLUMN node DROP DEFAULT;
`,
}
