import type { SenderCheck } from '../../contract/senders.ts'
import { uuid7Floor } from '../../lib/uuid7.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

/** What is known of an official sender beside what its owner entered. Times are milliseconds since 1970. */
export interface OfficialFacts {
  checks: SenderCheck[]
  checkedAt: number | null
  templatesSyncedAt: number | null
  /** When Meta's callbacks were last heard of this sender's messages. */
  lastStatusAt: number | null
}

const NOTHING: OfficialFacts = { checks: [], checkedAt: null, templatesSyncedAt: null, lastStatusAt: null }

export type OfficialStore = ReturnType<typeof createOfficialStore>

export function createOfficialStore(db: Db, write: Write) {
  const select = db.prepare<[number], Omit<OfficialFacts, 'checks'> & { checks: string }>(
    `SELECT checks, checked_at AS checkedAt, templates_synced_at AS templatesSyncedAt, last_status_at AS lastStatusAt
     FROM official_facts WHERE sender_id = ?`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO official_facts (sender_id, checks, checked_at, templates_synced_at, last_status_at)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const silent = db.prepare<[number, string, string], { at: number }>(
    `SELECT created_at AS at FROM messages WHERE sender_id = ? AND channel = 'template' AND status = 'accepted'
       AND id >= ? AND id < ? ORDER BY id LIMIT 1`,
  )
  const unsettled = db.prepare<[number, number, string, string, number], UnsettledRow>(
    `SELECT seq, provider_message_id AS providerMessageId FROM messages WHERE sender_id = ? AND channel = 'template'
       AND status IN ('accepted', 'sent') AND provider_message_id IS NOT NULL AND seq > ? AND id >= ? AND id < ?
     ORDER BY seq LIMIT ?`,
  )

  function get(senderId: number): OfficialFacts {
    const row = select.get(senderId)
    return row === undefined ? NOTHING : { ...row, checks: JSON.parse(row.checks) as SenderCheck[] }
  }

  return {
    get,
    save: (senderId: number, change: Partial<OfficialFacts>): Promise<void> =>
      write(() => {
        const f = { ...get(senderId), ...change }
        put.run(senderId, JSON.stringify(f.checks), f.checkedAt, f.templatesSyncedAt, f.lastStatusAt)
      }),
    /** When the first message was accepted, in a span of time, of which no status came. */
    silentSince: (senderId: number, from: number, to: number): number | null =>
      silent.get(senderId, uuid7Floor(from), uuid7Floor(to))?.at ?? null,
    /** Messages accepted in a span of time without a final status, after a `seq`. */
    unsettled: (senderId: number, after: number, from: number, to: number, limit: number): UnsettledRow[] =>
      unsettled.all(senderId, after, uuid7Floor(from), uuid7Floor(to), limit),
  }
}

export interface UnsettledRow {
  seq: number
  providerMessageId: string
}
