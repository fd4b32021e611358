import { z } from 'zod'
import { accountReason, accountStanding, newsKind, newsSeverity, senderCheck } from '../../contract/senders.ts'
import type { OfficialFacts, OfficialFactsStore } from '../official-facts.ts'
import type { Db, Write } from './engine.ts'
import { type Columns, integerOrNull, json, jsonOrNull, selecting, textOrNull } from './sql.ts'

const nullableText = z.string().nullable()
const nullableTime = z.number().nullable()

const account = z.object({
  standing: accountStanding,
  reason: accountReason.nullable(),
  detail: nullableText,
  since: z.number(),
  from: nullableTime,
  until: nullableTime,
})

const limit = z.union([z.number(), z.literal('unlimited')])

const number = z.object({
  quality: nullableText,
  status: nullableText,
  nameStatus: nullableText,
  canSend: nullableText,
  throughput: nullableText,
  limit: limit.nullable(),
})

const limitChange = z.object({ at: z.number(), from: limit, to: limit })

const news = z.object({
  kind: newsKind,
  code: z.string(),
  severity: newsSeverity,
  at: z.number(),
  detail: nullableText,
})

const FACTS: Columns<OfficialFacts> = {
  // Checks of another version count as none: they are made again.
  checks: json('checks', z.array(senderCheck).catch([])),
  checkedAt: integerOrNull('checked_at'),
  templatesSyncedAt: integerOrNull('templates_synced_at'),
  lastStatusAt: integerOrNull('last_status_at'),
  setupReason: textOrNull('setup_reason'),
  account: jsonOrNull('account', account),
  number: jsonOrNull('number', number),
  tokenEndsAt: integerOrNull('token_ends_at'),
  limitChange: jsonOrNull('limit_change', limitChange),
  news: json('news', z.array(news)),
}

const NOTHING: OfficialFacts = {
  checks: [],
  checkedAt: null,
  templatesSyncedAt: null,
  lastStatusAt: null,
  setupReason: null,
  account: null,
  number: null,
  tokenEndsAt: null,
  limitChange: null,
  news: [],
}

export function createOfficialFacts(db: Db, write: Write): OfficialFactsStore {
  const select = selecting(db, FACTS)<[number]>('FROM official_facts WHERE sender_id = ?')
  const put = db.prepare(
    `INSERT OR REPLACE INTO official_facts
       (sender_id, checks, checked_at, templates_synced_at, last_status_at, setup_reason, account, number,
        token_ends_at, limit_change, news)
     VALUES (@senderId, @checks, @checkedAt, @templatesSyncedAt, @lastStatusAt, @setupReason, @account, @number,
        @tokenEndsAt, @limitChange, @news)`,
  )
  const get = (senderId: number): OfficialFacts => select.get(senderId) ?? NOTHING

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
    save: async (senderId, facts, urgency) => {
      await change(senderId, () => facts, urgency)
    },
  }
}
