import { FACTS, NO_FACTS, type OfficialFactsStore } from '../official-facts.ts'
import type { Context } from './sql.ts'

const FROM = 'FROM official_facts WHERE sender_id = $1'
const stored = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

export function createOfficialFacts({ db, write }: Context): OfficialFactsStore {
  const change: OfficialFactsStore['change'] = (senderId, decide) =>
    write(async (tx) => {
      // A row to hold, so that of two first changes none is lost.
      void tx.run('INSERT INTO official_facts (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
      const before = (await tx.one(FACTS, `${FROM} FOR NO KEY UPDATE`, [senderId])) ?? NO_FACTS
      const facts = { ...before, ...decide(before) }
      void tx.run(
        `UPDATE official_facts SET checks = $2, checked_at = $3, templates_synced_at = $4, last_status_at = $5,
           setup_reason = $6, account = $7, number = $8, token_ends_at = $9, limit_change = $10, news = $11
         WHERE sender_id = $1`,
        [
          ...[senderId, stored(facts.checks), facts.checkedAt, facts.templatesSyncedAt, facts.lastStatusAt],
          ...[facts.setupReason, stored(facts.account), stored(facts.number), facts.tokenEndsAt],
          ...[stored(facts.limitChange), stored(facts.news)],
        ],
      )
      return facts
    })
  return {
    get: async (senderId) => (await db.one(FACTS, FROM, [senderId])) ?? NO_FACTS,
    change,
  }
}
