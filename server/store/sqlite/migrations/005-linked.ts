import type { Migration } from '../migrate.ts'

/**
 * What WhatsApp says of a linked number outlives the program: until when it is banned, how it addresses people, how many
 * strangers it may still write to.
 */
export const linked: Migration = {
  version: 5,
  sql: `
ALTER TABLE senders ADD COLUMN reason_detail TEXT;
ALTER TABLE senders ADD COLUMN until INTEGER;
ALTER TABLE senders ADD COLUMN no_connection_before INTEGER;
-- Another number was linked while messages waited; this was the one before, until the owner confirms the new one.
ALTER TABLE senders ADD COLUMN previous_phone TEXT;
ALTER TABLE senders ADD COLUMN first_contacts TEXT;
ALTER TABLE senders ADD COLUMN heard_restricted INTEGER NOT NULL DEFAULT 0;
UPDATE senders SET reason = 'locked' WHERE reason = 'restricted_by_whatsapp';
UPDATE senders SET state = iif(phone IS NULL, 'unlinked', 'offline') WHERE kind = 'linked' AND state = 'linking';

-- How a contact is addressed although its account uses the other form, because WhatsApp refused that one.
ALTER TABLE contacts ADD COLUMN form TEXT;
ALTER TABLE contacts ADD COLUMN form_while TEXT;
-- Messages of this chat disappear after so many seconds.
ALTER TABLE contacts ADD COLUMN timer INTEGER;
ALTER TABLE contacts ADD COLUMN timer_set_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contacts ADD COLUMN last_message_at INTEGER;

-- What is known of a linked account, as JSON; nothing of its customers.
CREATE TABLE linked_facts (
  sender_id INTEGER PRIMARY KEY REFERENCES senders (id) ON DELETE CASCADE,
  facts TEXT NOT NULL
) STRICT;
`,
}
