import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

export interface ContactRow {
  /** Null: WhatsApp said that this number has no account. */
  jid: string | null
  checkedAt: number
  /** A message of ours was acknowledged, or one of theirs came: no first contact any more. */
  known: boolean
}

export type Contacts = ReturnType<typeof createContacts>

/** What WhatsApp said about numbers, so that it is not asked before every message. */
export function createContacts(db: Db, write: Write) {
  const select = db.prepare<[number, string], Omit<ContactRow, 'known'> & { known: number }>(
    'SELECT jid, checked_at AS checkedAt, known FROM contacts WHERE sender_id = ? AND phone = ?',
  )
  const put = db.prepare(
    `INSERT INTO contacts (sender_id, phone, jid, checked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET jid = excluded.jid, checked_at = excluded.checked_at`,
  )
  const know = db.prepare(
    `INSERT INTO contacts (sender_id, phone, checked_at, known) VALUES (?, ?, 0, 1) ON CONFLICT DO UPDATE SET known = 1`,
  )
  const forget = db.prepare('DELETE FROM contacts WHERE sender_id = ?')
  return {
    get(senderId: number, phone: string): ContactRow | undefined {
      const row = select.get(senderId, phone)
      return row && { ...row, known: row.known === 1 }
    },
    save: (senderId: number, phone: string, jid: string | null, at: number) =>
      write(() => put.run(senderId, phone, jid, at)),
    /** For use inside a transaction of a message. */
    know: (senderId: number, phone: string): void => void know.run(senderId, phone),
    markKnown: (senderId: number, phone: string) => write(() => know.run(senderId, phone)),
    forget: (senderId: number) => write(() => forget.run(senderId)),
  }
}
