import { FACTS, NO_FACTS, type OfficialFacts, type OfficialFactsStore, putFacts } from '../official-facts.ts'
import { type Context, selecting } from './sql.ts'

export function createOfficialFacts({ db, write, run }: Context): OfficialFactsStore {
  const select = selecting(db, FACTS)<[number]>('FROM official_facts WHERE sender_id = ?')
  const get = (senderId: number): OfficialFacts => select.get(senderId) ?? NO_FACTS
  return {
    get: async (senderId) => get(senderId),
    change: (senderId, decide, urgency) =>
      write(() => {
        const before = get(senderId)
        const facts = { ...before, ...decide(before) }
        run(putFacts({ senderId, ...facts }))
        return facts
      }, urgency),
  }
}
