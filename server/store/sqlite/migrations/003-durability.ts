import type { Migration } from '../migrate.ts'

/**
 * Times are looked up by columns of their own; senders keep what callers heard last of them, endpoints each secret that
 * was replaced; deliveries are counted as they change.
 */
export const durability: Migration = {
  version: 3,
  sql: `
CREATE INDEX messages_created ON messages (created_at, seq);
CREATE INDEX events_without_message ON events (recorded_at) WHERE message_seq IS NULL;
CREATE INDEX meta_inbox_applied ON meta_inbox (received_at) WHERE applied_at IS NOT NULL;

-- The event of its connection that callers got last.
ALTER TABLE senders ADD COLUMN announced TEXT NOT NULL DEFAULT 'sender.linked';
UPDATE senders SET announced = coalesce(
  (SELECT type FROM events WHERE message_seq IS NULL AND type LIKE 'sender.%'
     AND json_extract(data, '$.sender_code') = senders.code ORDER BY seq DESC LIMIT 1),
  iif(kind = 'linked' AND phone IS NULL, 'sender.unlinked', 'sender.linked'));

-- JSON: [{ secret (sealed, in hex), until }].
ALTER TABLE webhook_endpoints ADD COLUMN replaced_secrets TEXT NOT NULL DEFAULT '[]';
UPDATE webhook_endpoints SET replaced_secrets = json_array(json_object('secret', hex(previous_secret), 'until', previous_until))
  WHERE previous_secret IS NOT NULL AND previous_until IS NOT NULL;
ALTER TABLE webhook_endpoints DROP COLUMN previous_secret;
ALTER TABLE webhook_endpoints DROP COLUMN previous_until;

ALTER TABLE webhook_endpoints ADD COLUMN last_delivered_at INTEGER;
UPDATE webhook_endpoints SET last_delivered_at = (SELECT max(a.at) FROM webhook_attempts a WHERE a.delivery_id = (
  SELECT max(id) FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'delivered'));

-- Counting hundreds of thousands of deliveries for a page or for metrics would stop everything for a moment.
CREATE TABLE delivery_counts (
  endpoint_id INTEGER NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, state)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_counts (endpoint_id, state, count)
  SELECT endpoint_id, state, count(*) FROM webhook_deliveries WHERE state IN ('pending', 'dead') GROUP BY endpoint_id, state;
CREATE TRIGGER delivery_added AFTER INSERT ON webhook_deliveries WHEN NEW.state <> 'delivered' BEGIN
  INSERT INTO delivery_counts (endpoint_id, state, count) VALUES (NEW.endpoint_id, NEW.state, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_changed AFTER UPDATE OF state ON webhook_deliveries WHEN NEW.state <> OLD.state BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE endpoint_id = OLD.endpoint_id AND state = OLD.state;
  INSERT INTO delivery_counts (endpoint_id, state, count) SELECT NEW.endpoint_id, NEW.state, 1 WHERE NEW.state <> 'delivered'
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_removed AFTER DELETE ON webhook_deliveries WHEN OLD.state <> 'delivered' BEGIN
  UPDATE delivery_counts SET count = count - 1 WHERE endpoint_id = OLD.endpoint_id AND state = OLD.state;
END;
`,
}
