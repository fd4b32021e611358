import type { ProviderError } from '../../../contract/errors.ts'
import type { FailureCode } from '../../../contract/failures.ts'
import type { Status } from '../../../contract/messages.ts'
import { DAY, HOUR, MINUTE } from '../../../lib/clock.ts'
import { describeFailure } from '../../../words/errors.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { deliveryFailure, meaningOf } from '../graph/errors.ts'
import { REPORTED } from '../inbox/updates.ts'

const BATCH = 500

// Our choice. Meta repeats a callback for seven days, less and less often, so wait longer than a
// moment, but no longer than a shop's PC is on in a day.
const LISTENED_FOR = 4 * HOUR
const REPEATED_FOR = 7 * DAY

/**
 * Times after which a message without a newer status fails. Meta must also have had time to report
 * the status while Kurir ran.
 */
const LIMITS: readonly { status: Status; after: number; code: FailureCode }[] = [
  { status: 'sending', after: DAY, code: 'outcome_unknown' },
  { status: 'accepted', after: 30 * DAY, code: 'no_final_status' },
  { status: 'sent', after: 30 * DAY, code: 'no_final_status' },
]

// Callbacks are quicker, so ask only about older messages.
const ASKED_AFTER = 10 * MINUTE
const ASKED_A_ROUND = 100
// Meta offers the history only to some accounts, but may also refuse it for one message alone.
const MOST_REFUSALS = 3

/** Grows by one whenever a message's age doubles. Meta is asked once for each step. */
const stepOf = (ageMs: number): number => Math.floor(Math.log2(Math.max(ageMs, 1) / ASKED_AFTER))

/**
 * True if Meta would refuse again. False for rate limits, faults at Meta and tokens that Meta does
 * not accept.
 */
function isForGood(error: ProviderError): boolean {
  const { code, hint } = meaningOf(error)
  return code === 'provider_rejected' || hint === 'permissions'
}

export interface StaleTimes {
  /** Time of the start, or of the PC's last wake-up. */
  awakeSince: () => number
  /** The present time; shortly after a start, the time when Kurir last ran. */
  endTime: () => number
}

/**
 * Looks after template messages without a final status: asks Meta for their history, and fails them
 * after their time.
 */
export function createStaleMessages({ store, client, accounts, record, clock }: OfficialContext, times: StaleTimes) {
  const { officialMessages: messages, officialFacts: facts } = store
  const { now } = clock
  /**
   * Each sender's walk over its messages. `after`: last seq, null if the walk is over. `began` and
   * `before`: start of this walk and of the last one.
   */
  const walks = new Map<number, { after: number | null; began: number; before: number }>()
  /** Lasting refusals in a row, by account. After MOST_REFUSALS the account is not asked again. */
  const refusals = new Map<number, number>()
  const hasHistory = (senderId: number): boolean => (refusals.get(senderId) ?? 0) < MOST_REFUSALS

  async function giveUp({ status, after, code }: (typeof LIMITS)[number]): Promise<void> {
    for (;;) {
      const isHeard = now() - times.awakeSince() >= LISTENED_FOR
      const ids = await messages.templatesIn(status, now() - Math.max(after, isHeard ? 0 : REPEATED_FOR), BATCH)
      await Promise.all(
        ids.map((id) =>
          record.change({ id }, (message) => {
            if (message.status !== status) return null
            return { status: 'failed', at: now(), nextAt: null, error: describeFailure(code) }
          }),
        ),
      )
      if (ids.length < BATCH) return
    }
  }

  /** Applies Meta's history of one message. Resolves with false if the walk has to stop here. */
  async function ask(account: OfficialAccount, seq: number, providerMessageId: string): Promise<boolean> {
    const { senderId } = account
    const history = await client.messageHistory(account, providerMessageId)
    if (history.kind === 'refused' && isForGood(history.error)) {
      refusals.set(senderId, (refusals.get(senderId) ?? 0) + 1)
      return hasHistory(senderId)
    }
    if (history.kind !== 'answered') return false
    refusals.delete(senderId)
    for (const { status: reported, occurredAt } of history.data) {
      const status = REPORTED.find((each) => each === reported)
      if (status === undefined) continue
      const error = status === 'failed' ? deliveryFailure([]) : null
      await record.report({ seq }, { status, at: occurredAt, error })
    }
    return true
  }

  async function askFor(account: OfficialAccount): Promise<void> {
    const { senderId } = account
    const { lastStatusAt } = await facts.get(senderId)
    // Callbacks arrive, so there is no need to ask.
    if (!hasHistory(senderId) || (lastStatusAt ?? 0) > now() - HOUR) return
    // An earlier run made its last walk within its last hour.
    const last = walks.get(senderId) ?? { after: null, began: times.endTime() - HOUR, before: 0 }
    const walk = last.after === null ? { after: 0, began: now(), before: last.began } : { ...last, after: last.after }
    walks.set(senderId, walk)
    const to = walk.began - ASKED_AFTER
    const rows = await messages.unsettled(senderId, walk.after, now() - 30 * DAY, to, ASKED_A_ROUND)
    for (const { seq, providerMessageId, createdAt } of rows) {
      const isDue = stepOf(walk.began - createdAt) > stepOf(walk.before - createdAt)
      if (isDue && !(await ask(account, seq, providerMessageId))) return
      walk.after = seq
    }
    if (rows.length < ASKED_A_ROUND) walks.set(senderId, { ...walk, after: null })
  }

  return async (): Promise<void> => {
    for (const account of accounts.list()) await askFor(account)
    for (const limit of LIMITS) await giveUp(limit)
  }
}
