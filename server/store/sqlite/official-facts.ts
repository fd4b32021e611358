import { FACTS, NO_FACTS, type OfficialFacts, type OfficialFactsStore } from '../official-facts.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export function createOfficialFacts(db: Db, write: Write): OfficialFactsStore {
  const select = selecting(db, FACTS)<[number]>('FROM official_facts WHERE sender_id = ?')
  const put = db.prepare(
    `INSERT OR REPLACE INTO official_facts
       (sender_id, checks, checked_at, templates_synced_at, last_status_at, setup_reason, account, number,
        token_ends_at, limit_change, news)
     VALUES (@senderId, @checks, @checkedAt, @templatesSyncedAt, @lastStatusAt, @setupReason, @account, @number,
        @tokenEndsAt, @limitChange, @news)`,
  )
  const get = (senderId: number): OfficialFacts => select.get(senderId) ?? NO_FACTS

  const change: OfficialFactsStore['change'] = (senderId, decide, urgency) =>
    write(() => {
      const before = get(senderId)
      const facts = { ...before, ...decide(before) }
      put.run({
        ...facts,
        senderId,
        checks: JSON.stringify(facts.checks),
        account: facts.account === null ? null : JSON.stringify(facts.account),
        number: facts.number === null ? null : JSON.stringify(facts.number),
        limitChange: facts.limitChange === null ? null : JSON.stringify(facts.limitChange),
        news: JSON.stringify(facts.news),
      })
      return facts
    }, urgency)

  return {
    get: async (senderId) => get(senderId),
    change,
  }
}
