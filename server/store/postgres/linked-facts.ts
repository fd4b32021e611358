import { text } from '../columns.ts'
import type { LinkedFactsStore } from '../linked-facts.ts'
import type { Context } from './sql.ts'

export function createLinkedFacts({ db, write }: Context): LinkedFactsStore {
  return {
    async get(senderId) {
      const row = await db.one({ facts: text('facts') }, 'FROM linked_facts WHERE sender_id = $1', [senderId])
      return row === undefined ? undefined : JSON.parse(row.facts)
    },
    async save(senderId, facts) {
      await write((tx) =>
        tx.run(
          `INSERT INTO linked_facts (sender_id, facts) VALUES ($1, $2)
           ON CONFLICT (sender_id) DO UPDATE SET facts = excluded.facts`,
          [senderId, JSON.stringify(facts)],
        ),
      )
    },
  }
}
