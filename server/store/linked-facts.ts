import { z } from 'zod'
import { json } from './columns.ts'
import type { Statements } from './statements.ts'

/** Facts about a linked account beside its sender's row; its schema is that of the connection. */
export interface LinkedFactsStore {
  get(senderId: number): Promise<unknown>
  /** Resolves when it is on disk. */
  save(senderId: number, facts: object): Promise<void>
}

export function createLinkedFacts({ one, bind, write }: Statements): LinkedFactsStore {
  const find = one({ facts: json('facts', z.unknown()) }, 'FROM linked_facts WHERE sender_id = $1')
  const put = bind(
    `INSERT INTO linked_facts (sender_id, facts) VALUES ($1, $2)
     ON CONFLICT (sender_id) DO UPDATE SET facts = excluded.facts`,
  )
  return {
    get: async (senderId) => (await find(senderId))?.facts,
    async save(senderId, facts) {
      await write(put(senderId, JSON.stringify(facts)))
    },
  }
}
