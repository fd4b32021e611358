import { DAY, HOUR, MINUTE } from '../../../lib/time.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'

const STALE_EVERY = HOUR
const KEPT_EVERY = 5 * MINUTE
const LOOKED_FIRST_AFTER = MINUTE
const LOOKED_EVERY = HOUR
const SYNC_EVERY = 6 * HOUR
const CHECK_EVERY = DAY
/** Meta repeats a callback for seven days at most. */
const DIGESTS_KEPT = 8 * DAY
const BATCH = 1000

interface ScheduledJobs {
  lookAfterStaleMessages: () => Promise<void>
  syncTemplates: (account: OfficialAccount) => Promise<unknown>
  check: (account: OfficialAccount) => Promise<void>
  /** Looks again at what each account may do, by what is stored. */
  refresh: (senderId: number) => Promise<void>
  /** Applies callbacks kept by a program that has ended; undefined: there is no other. */
  applyKept: (() => void) | undefined
  /** Early statuses that could not be applied when their message came. */
  settleEarlyStatuses: () => Promise<void>
}

/** Starts the periodic jobs for official senders. */
export function startSchedule({ store, accounts, background, clock }: OfficialContext, jobs: ScheduledJobs): void {
  const { lookAfterStaleMessages, applyKept } = jobs
  const { now } = clock

  async function lookAfterStates(): Promise<void> {
    for (const { senderId } of accounts.list()) await jobs.refresh(senderId)
  }

  async function clean(): Promise<void> {
    let removed = BATCH
    while (removed >= BATCH) removed = await store.inbox.expire(now() - DIGESTS_KEPT, BATCH)
    await store.marketingHolds.expire(now())
  }

  /**
   * By when it was last done: no run may last for a day. A time that is ahead was written before
   * the clock was set back.
   */
  function isDue(last: number | null, every: number): boolean {
    return last === null || last > now() || now() - last >= every
  }

  /** Each for itself: an account that Meta does not let in must not keep the others from theirs. */
  async function lookAtAccounts(): Promise<void> {
    for (const account of accounts.list()) {
      const { checks, checkedAt, templatesSyncedAt } = await store.officialFacts.get(account.senderId)
      const isFine = checks.every(({ ok }) => ok)
      const wasAway = checks.some(({ finding }) => finding.code === 'meta_away')
      // A check reads the templates as well; trouble that is over is noticed on the same day.
      if (isDue(checkedAt, isFine ? CHECK_EVERY : wasAway ? LOOKED_EVERY : SYNC_EVERY))
        background.run('the daily check', () => jobs.check(account))
      else if (isDue(templatesSyncedAt, SYNC_EVERY)) background.run('templates', () => jobs.syncTemplates(account))
    }
  }

  background.run('states of accounts', lookAfterStates)
  background.every('states of accounts', HOUR, lookAfterStates)
  background.run('stale template messages', lookAfterStaleMessages)
  background.every('stale template messages', STALE_EVERY, lookAfterStaleMessages)
  background.run('old callbacks', clean)
  background.every('old callbacks', DAY, clean)
  if (applyKept !== undefined) background.every('callbacks that were kept', KEPT_EVERY, async () => applyKept())
  background.every('early statuses', HOUR, jobs.settleEarlyStatuses)
  // Not before the network and a tunnel are there.
  background.later('the first look at accounts', LOOKED_FIRST_AFTER, lookAtAccounts)
  background.every('looks at accounts', LOOKED_EVERY, lookAtAccounts)
}
