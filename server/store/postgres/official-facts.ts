import { FACTS, NO_FACTS, type OfficialFactsStore, putFacts } from '../official-facts.ts'
import { type Context, runBound } from './sql.ts'

const FROM = 'FROM official_facts WHERE sender_id = $1'

export const createOfficialFacts = ({ db, write }: Context): OfficialFactsStore => ({
  get: async (senderId) => (await db.one(FACTS, FROM, [senderId])) ?? NO_FACTS,
  change: (senderId, decide) =>
    write(async (tx) => {
      // A row to hold, so that of two first changes none is lost.
      void tx.run('INSERT INTO official_facts (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
      const before = (await tx.one(FACTS, `${FROM} FOR NO KEY UPDATE`, [senderId])) ?? NO_FACTS
      const facts = { ...before, ...decide(before) }
      void runBound(tx, putFacts({ senderId, ...facts }))
      return facts
    }),
})
