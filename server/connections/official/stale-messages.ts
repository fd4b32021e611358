import { describeFailure, type FailureCode } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'
import type { Recorder } from '../../messages/record.ts'
import type { Inbox } from '../../store/sqlite/inbox.ts'
import type { OfficialStore } from '../../store/sqlite/official.ts'
import type { Upkeep } from '../../store/sqlite/upkeep.ts'
import type { OfficialAccount } from './accounts.ts'
import { deliveryFailure } from './errors.ts'
import type { GraphClient } from './graph-client.ts'
import type { ReportedStatus } from './updates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BATCH = 500
const REPORTED: readonly string[] = ['sent', 'delivered', 'read', 'failed'] satisfies ReportedStatus[]

/** What is given up when nothing was heard of it. Where a message really stands is Meta's to say as long as it may. */
const LIMITS: readonly { status: Status; after: number; code: FailureCode }[] = [
  { status: 'sending', after: DAY, code: 'outcome_unknown' },
  { status: 'accepted', after: 30 * DAY, code: 'no_final_status' },
  { status: 'sent', after: 30 * DAY, code: 'no_final_status' },
]

// Callbacks are quicker: asked only of messages that had time for one.
const ASKED_AFTER = 10 * MINUTE
const ASKED_A_ROUND = 100

export interface OverdueDeps {
  upkeep: Pick<Upkeep, 'templatesSince'>
  facts: Pick<OfficialStore, 'get' | 'unsettled'>
  inbox: Pick<Inbox, 'expireEarly'>
  client: Pick<GraphClient, 'messageHistory'>
  accounts: () => OfficialAccount[]
  record: Recorder
  now: () => number
}

/** Template messages of which nothing is heard: asked for where Meta tells, given up after their time. */
export function createOverdue({ upkeep, facts, inbox, client, accounts, record, now }: OverdueDeps) {
  /** Where each sender's next round of questions begins. */
  const cursors = new Map<number, number>()
  /** Meta offers its message history to some accounts only: the others are asked once. */
  const refused = new Set<number>()

  async function giveUp({ status, after, code }: (typeof LIMITS)[number]): Promise<void> {
    for (;;) {
      const ids = upkeep.templatesSince(status, now() - after, BATCH)
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
    if (history.kind === 'refused') refused.add(account.senderId)
    if (history.kind !== 'answered') return false
    for (const { status, occurredAt } of history.data) {
      if (!REPORTED.includes(status)) continue
      const error = status === 'failed' ? deliveryFailure([]) : null
      await record.report({ seq }, { status: status as ReportedStatus, at: occurredAt, error })
    }
    return true
  }

  async function askFor(account: OfficialAccount): Promise<void> {
    const { senderId } = account
    const { lastStatusAt } = facts.get(senderId)
    // While callbacks arrive they tell everything.
    if (refused.has(senderId) || (lastStatusAt ?? 0) > now() - HOUR) return
    const to = now() - ASKED_AFTER
    const rows = facts.unsettled(senderId, cursors.get(senderId) ?? 0, now() - 30 * DAY, to, ASKED_A_ROUND)
    for (const { seq, providerMessageId } of rows) {
      if (!(await ask(account, seq, providerMessageId))) return
      cursors.set(senderId, seq)
    }
    if (rows.length < ASKED_A_ROUND) cursors.delete(senderId)
  }

  return async (): Promise<void> => {
    for (const account of accounts()) await askFor(account)
    for (const limit of LIMITS) await giveUp(limit)
    await inbox.expireEarly(now() - 7 * DAY)
  }
}
