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

// Meta repeats a callback for seven days, less and less often: ours, between a moment on and a
// working day of a shop.
const LISTENED_FOR = 4 * HOUR
const REPEATED_FOR = 7 * DAY

/**
 * Timeouts after which a message without a status is failed; Meta had time to report it since Kurir
 * listens.
 */
const LIMITS: readonly { status: Status; after: number; code: FailureCode }[] = [
  { status: 'sending', after: DAY, code: 'outcome_unknown' },
  { status: 'accepted', after: 30 * DAY, code: 'no_final_status' },
  { status: 'sent', after: 30 * DAY, code: 'no_final_status' },
]

// Callbacks are quicker: asked only of messages that had time for one.
const ASKED_AFTER = 10 * MINUTE
const ASKED_A_ROUND = 100

/** Grows by one whenever a message is twice as old: it is asked about once in each. */
const stepOf = (ageMs: number): number => Math.floor(Math.log2(Math.max(ageMs, 1) / ASKED_AFTER))

/**
 * True if Meta would say the same again: not if it limits calls, is unwell, or wants another token.
 */
function isForGood(error: ProviderError): boolean {
  const { code, hint } = meaningOf(error)
  return code === 'provider_rejected' || hint === 'permissions'
}

export interface StaleTimes {
  /** Since the start, or since the PC slept. */
  awakeSince: () => number
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
}

/**
 * Looks after template messages without news: asks Meta where it answers, fails them after their
 * time.
 */
export function createStaleMessages({ store, client, accounts, record, clock }: OfficialContext, times: StaleTimes) {
  const { officialMessages: messages, officialFacts: facts, inbox } = store
  const { now } = clock
  /** Each sender's walk over its messages: how far it is, when it and the one before began. */
  const walks = new Map<number, { after: number | null; began: number; before: number }>()
  /** Meta offers its message history to some accounts only: the others are asked once. */
  const refused = new Set<number>()

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

  /** Returns whether this account may be asked again. */
  async function ask(account: OfficialAccount, seq: number, providerMessageId: string): Promise<boolean> {
    const history = await client.messageHistory(account, providerMessageId)
    if (history.kind === 'refused' && isForGood(history.error)) refused.add(account.senderId)
    if (history.kind !== 'answered') return false
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
    // While callbacks arrive there is nothing to ask.
    if (refused.has(senderId) || (lastStatusAt ?? 0) > now() - HOUR) return
    // The last walk of an earlier run was in its last hour.
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
    await inbox.dropEarly({ before: now() - 7 * DAY })
  }
}
