import type { Migration } from '../migrate.ts'

/** Where transactions wait for each other by name (postgres/in-turn.ts). Nothing of it is kept, so none of it has to survive a crash. */
export const turns: Migration = {
  version: 16,
  // Programs before it hold the row of the key in its place, and would not wait for this.
  needs: 16,
  sql: '',
  postgres: `
CREATE UNLOGGED TABLE turns (
  name BYTEA PRIMARY KEY
);
-- The server's statistics say that the table is empty, whatever it has to look through.
CREATE FUNCTION forget_turns() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM turns USING added WHERE turns.name = added.name;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_turns AFTER INSERT ON turns REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION forget_turns();
`,
}
