import { CONTACT, type ContactStore } from '../contacts.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface ContactStatements extends ContactStore {
  know(tx: Tx, senderId: number, phone: string): void
}

export function createContacts(db: Db, write: Write, now: () => number): ContactStatements {
  const contacts = selecting(db, CONTACT)
  const select = contacts<[number, string]>('FROM contacts WHERE sender_id = ? AND phone = ?')
  const put = db.prepare(
    `INSERT INTO contacts (sender_id, phone, jid, checked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET jid = excluded.jid, checked_at = excluded.checked_at`,
  )
  const know = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, known, last_message_at) VALUES (?, ?, 0, 1, ?)
     ON CONFLICT DO UPDATE SET known = 1, last_message_at = max(ifnull(contacts.last_message_at, 0), excluded.last_message_at)`,
  )
  const seeChat = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, known, last_message_at) VALUES (?, ?, 0, 1, ?)
     ON CONFLICT DO UPDATE SET known = 1, last_message_at =
       nullif(max(ifnull(last_message_at, 0), ifnull(excluded.last_message_at, 0)), 0)`,
  )
  const putForm = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, form, form_while) VALUES (?, ?, 0, ?, ?)
     ON CONFLICT DO UPDATE SET form = excluded.form, form_while = excluded.form_while`,
  )
  const putTimer = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, timer, timer_set_at) VALUES (?, ?, 0, ?, ?)
     ON CONFLICT DO UPDATE SET timer = excluded.timer, timer_set_at = excluded.timer_set_at
       WHERE excluded.timer_set_at >= timer_set_at`,
  )
  const forget = db.prepare('DELETE FROM contacts WHERE sender_id = ?')
  return {
    get: async (senderId, phone) => select.get(senderId, phone),
    save: (senderId, phone, jid, at) => write(() => void put.run(senderId, phone, jid, at)),
    know: (_tx, senderId, phone) => void know.run(senderId, phone, now()),
    markKnown: (senderId, phone) => write(() => void know.run(senderId, phone, now())),
    learn: (senderId, chats) =>
      write(() => {
        for (const { phone, lastMessageAt, timer } of chats) {
          seeChat.run(senderId, phone, lastMessageAt)
          if (timer !== null) putTimer.run(senderId, phone, timer.seconds, timer.setAt)
        }
      }),
    saveForm: (senderId, phone, form, formWhile) => write(() => void putForm.run(senderId, phone, form, formWhile)),
    saveTimer: (senderId, phone, seconds, setAt) => write(() => void putTimer.run(senderId, phone, seconds, setAt)),
    forget: (senderId) => write(() => void forget.run(senderId)),
  }
}
