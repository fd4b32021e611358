import type { Migration } from '../migrate.ts'

/** The newest version of the schema that a node knows: nodes are upgraded one after the other (postgres/migrate.ts). */
export const nodesUpgraded: Migration = {
  version: 15,
  sql: '',
  postgres: 'ALTER TABLE nodes ADD COLUMN schema BIGINT;',
}
