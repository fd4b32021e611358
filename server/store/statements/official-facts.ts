import { z } from 'zod'
import { senderCheck } from '../../contract/senders.ts'
import type { OfficialFacts, OfficialFactsStore } from '../official-facts.ts'
import type { Db, Write } from './engine.ts'
import { type Columns, integerOrNull, json, selecting } from './sql.ts'

const FACTS: Columns<OfficialFacts> = {
  // Checks of another version count as none: they are made again.
  checks: json('checks', z.array(senderCheck).catch([])),
  checkedAt: integerOrNull('checked_at'),
  templatesSyncedAt: integerOrNull('templates_synced_at'),
  lastStatusAt: integerOrNull('last_status_at'),
}

const NOTHING: OfficialFacts = { checks: [], checkedAt: null, templatesSyncedAt: null, lastStatusAt: null }

export function createOfficialFacts(db: Db, write: Write): OfficialFactsStore {
  const select = selecting(db, FACTS)<[number]>('FROM official_facts WHERE sender_id = ?')
  const put = db.prepare(
    `INSERT OR REPLACE INTO official_facts (sender_id, checks, checked_at, templates_synced_at, last_status_at)
     VALUES (@senderId, @checks, @checkedAt, @templatesSyncedAt, @lastStatusAt)`,
  )
  const get = (senderId: number): OfficialFacts => select.get(senderId) ?? NOTHING
  return {
    get: async (senderId) => get(senderId),
    save: (senderId, change) =>
      write(() => {
        const facts = { ...get(senderId), ...change }
        put.run({ ...facts, senderId, checks: JSON.stringify(facts.checks) })
      }),
  }
}
