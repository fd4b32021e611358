import { CONTACT, type ContactStore } from '../contacts.ts'
import type { Context, Tx, Value } from './sql.ts'

/** Somebody wrote to or heard from this person just now. */
export const knowContact = (tx: Tx, senderId: number, phone: string, at: number): Promise<number> =>
  tx.run(
    `INSERT INTO contacts (sender_id, phone, checked_at, known, last_message_at) VALUES ($1, $2, 0, 1, $3)
     ON CONFLICT (sender_id, phone) DO UPDATE SET known = 1,
       last_message_at = greatest(contacts.last_message_at, excluded.last_message_at)`,
    [senderId, phone, at],
  )

export function createContacts({ db, write, now }: Context): ContactStore {
  async function run(statement: string, values: readonly Value[]): Promise<void> {
    await write((tx) => tx.run(statement, values))
  }
  return {
    get: (senderId, phone) => db.one(CONTACT, 'FROM contacts WHERE sender_id = $1 AND phone = $2', [senderId, phone]),
    save: (senderId, phone, jid, at) =>
      run(
        `INSERT INTO contacts (sender_id, phone, jid, checked_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (sender_id, phone) DO UPDATE SET jid = excluded.jid, checked_at = excluded.checked_at`,
        [senderId, phone, jid, at],
      ),
    async markKnown(senderId, phone) {
      await write((tx) => knowContact(tx, senderId, phone, now()))
    },
    learn: (senderId, chats) => {
      // The last word about each counts.
      const named = [...new Map(chats.map((chat) => [chat.phone, chat])).values()]
      return run(
        `INSERT INTO contacts (sender_id, phone, checked_at, known, last_message_at, timer, timer_set_at)
         SELECT $1::bigint, phone, 0, 1, at, timer, coalesce(timer_set_at, 0)
         FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS chat (phone, at, timer, timer_set_at)
         ON CONFLICT (sender_id, phone) DO UPDATE SET known = 1,
           last_message_at = greatest(contacts.last_message_at, excluded.last_message_at),
           timer = CASE WHEN excluded.timer IS NOT NULL AND excluded.timer_set_at >= contacts.timer_set_at
             THEN excluded.timer ELSE contacts.timer END,
           timer_set_at = greatest(contacts.timer_set_at, excluded.timer_set_at)`,
        [
          ...[senderId, named.map(({ phone }) => phone), named.map(({ lastMessageAt }) => lastMessageAt)],
          ...[named.map(({ timer }) => timer?.seconds ?? null), named.map(({ timer }) => timer?.setAt ?? null)],
        ],
      )
    },
    saveForm: (senderId, phone, form, formWhile) =>
      run(
        `INSERT INTO contacts (sender_id, phone, checked_at, form, form_while) VALUES ($1, $2, 0, $3, $4)
         ON CONFLICT (sender_id, phone) DO UPDATE SET form = excluded.form, form_while = excluded.form_while`,
        [senderId, phone, form, formWhile],
      ),
    saveTimer: (senderId, phone, seconds, setAt) =>
      run(
        `INSERT INTO contacts (sender_id, phone, checked_at, timer, timer_set_at) VALUES ($1, $2, 0, $3, $4)
         ON CONFLICT (sender_id, phone) DO UPDATE SET timer = excluded.timer, timer_set_at = excluded.timer_set_at
         WHERE excluded.timer_set_at >= contacts.timer_set_at`,
        [senderId, phone, seconds, setAt],
      ),
    forget: (senderId) => run('DELETE FROM contacts WHERE sender_id = $1', [senderId]),
  }
}
