import type { ContactRow, ContactStore } from '../contacts.ts'
import type { Db, Tx, Write } from './engine.ts'
import { flag, integer, selecting, textOrNull } from './sql.ts'

export interface SqliteContacts extends ContactStore {
  know(tx: Tx, senderId: number, phone: string): void
}

export function createContacts(db: Db, write: Write): SqliteContacts {
  const contacts = selecting<ContactRow>(db, {
    jid: textOrNull('jid'),
    checkedAt: integer('checked_at'),
    known: flag('known'),
  })
  const select = contacts<[number, string]>('FROM contacts WHERE sender_id = ? AND phone = ?')
  const put = db.prepare(
    `INSERT INTO contacts (sender_id, phone, jid, checked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET jid = excluded.jid, checked_at = excluded.checked_at`,
  )
  const know = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, known) VALUES (?, ?, 0, 1) ON CONFLICT DO UPDATE SET known = 1`,
  )
  const forget = db.prepare('DELETE FROM contacts WHERE sender_id = ?')
  return {
    get: async (senderId, phone) => select.get(senderId, phone),
    save: (senderId, phone, jid, at) => write(() => void put.run(senderId, phone, jid, at)),
    know: (_tx, senderId, phone) => void know.run(senderId, phone),
    markKnown: (senderId, phone) => write(() => void know.run(senderId, phone)),
    forget: (senderId) => write(() => void forget.run(senderId)),
  }
}
