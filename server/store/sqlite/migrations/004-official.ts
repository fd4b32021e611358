import type { Migration } from '../migrate.ts'

/**
 * Of what customers write nothing is kept any more, and what earlier versions kept of Meta's callbacks is emptied; the
 * bytes themselves are gone after the `vacuum` that is asked for here. The lane of a message has its own column, because
 * a second road changes it.
 */
export const official: Migration = {
  version: 4,
  sql: `
UPDATE meta_inbox SET body = x'' WHERE applied_at IS NOT NULL;
ALTER TABLE meta_inbox DROP COLUMN note;
INSERT OR REPLACE INTO meta (name, value) SELECT 'vacuum', 'due' WHERE EXISTS (SELECT 1 FROM messages) OR EXISTS (SELECT 1 FROM meta_inbox);

UPDATE senders SET settings = json_set(settings, '$.second_road', NULL);
-- Official senders had an interval that nothing counted.
UPDATE senders SET settings = json_set(settings, '$.pacing', json('{"min_seconds":0,"max_seconds":0}')) WHERE kind = 'official';

-- The sender whose lane works on a message: its own, or the one of its second road.
ALTER TABLE messages ADD COLUMN lane_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN pricing TEXT;
ALTER TABLE messages ADD COLUMN recipient_user_id TEXT;
UPDATE messages SET lane_id = sender_id, pricing = iif(pricing_category IS NULL, NULL,
  json_object('billable', NULL, 'pricing_model', NULL, 'type', NULL, 'category', pricing_category));
ALTER TABLE messages DROP COLUMN pricing_category;
DROP INDEX messages_due;
CREATE INDEX messages_due ON messages (lane_id, next_at, seq) WHERE next_at IS NOT NULL;

ALTER TABLE official_facts ADD COLUMN setup_reason TEXT;
ALTER TABLE official_facts ADD COLUMN account TEXT;
ALTER TABLE official_facts ADD COLUMN number TEXT;
ALTER TABLE official_facts ADD COLUMN news TEXT NOT NULL DEFAULT '[]';
-- The category that Meta will change a template to, and when.
ALTER TABLE templates ADD COLUMN coming TEXT;

-- Delivered messages by what Meta reported to bill, month by month (local time): messages themselves are not kept for ever.
CREATE TABLE pricing_counts (
  month TEXT NOT NULL,
  sender_id INTEGER NOT NULL,
  pricing TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (month, sender_id, pricing)
) STRICT, WITHOUT ROWID;

CREATE TABLE second_road_counts (
  sender_id INTEGER NOT NULL,
  month TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (sender_id, month)
) STRICT, WITHOUT ROWID;

-- People to whom Meta takes no marketing message of a sender until then (131049).
CREATE TABLE marketing_holds (
  sender_id INTEGER NOT NULL,
  recipient TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (sender_id, recipient)
) STRICT, WITHOUT ROWID;
`,
}
