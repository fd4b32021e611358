import { text } from '../columns.ts'
import type { LinkedFactsStore } from '../linked-facts.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export function createLinkedFacts(db: Db, write: Write): LinkedFactsStore {
  const select = selecting<{ facts: string }>(db, { facts: text('facts') })<[number]>(
    'FROM linked_facts WHERE sender_id = ?',
  )
  const put = db.prepare('INSERT OR REPLACE INTO linked_facts (sender_id, facts) VALUES (?, ?)')
  return {
    async get(senderId) {
      const stored = select.get(senderId)?.facts
      return stored === undefined ? undefined : JSON.parse(stored)
    },
    save: (senderId, facts) => write(() => void put.run(senderId, JSON.stringify(facts))),
  }
}
