import type { Background } from '../../lib/background.ts'
import { HOUR } from '../../lib/time.ts'
import type { OfficialAccount } from './accounts.ts'

const STALE_EVERY = HOUR
const SYNC_EVERY = 6 * HOUR

export interface ScheduleDeps {
  background: Background
  lookAfterStaleMessages: () => Promise<void>
  accounts: () => OfficialAccount[]
  syncTemplates: (account: OfficialAccount) => Promise<unknown>
}

/** What is done for official senders from time to time. */
export function startSchedule({ background, lookAfterStaleMessages, accounts, syncTemplates }: ScheduleDeps): void {
  background.run('stale template messages', lookAfterStaleMessages)
  background.every('stale template messages', STALE_EVERY, lookAfterStaleMessages)
  background.every('templates', SYNC_EVERY, async () => {
    for (const account of accounts()) await syncTemplates(account)
  })
}
