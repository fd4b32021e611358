import { DAY, MINUTE } from '../../lib/time.ts'
import type { OfficialConcernFacts } from '../../senders/official.ts'
import type { MessageStore, OfficialFactsStore } from '../../store/index.ts'
import type { Accounts } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'

// Meta reports within seconds; this long is a sign that its callbacks do not arrive.
const QUIET_FOR = 10 * MINUTE
const LOOK_BACK = 7 * DAY

export interface ConcernFactsDeps {
  accounts: Pick<Accounts, 'unreadable'>
  facts: Pick<OfficialFactsStore, 'get'>
  messages: Pick<MessageStore, 'silentSince'>
  catalogue: Pick<Catalogue, 'troubles'>
  publicUrl: () => string | null
  now: () => number
}

/** What may need the owner of an official sender. */
export function createConcernFacts(deps: ConcernFactsDeps) {
  const { accounts, facts, messages, catalogue, publicUrl, now } = deps

  async function statusesOf(senderId: number): Promise<OfficialConcernFacts['statuses']> {
    const { lastStatusAt } = await facts.get(senderId)
    if (lastStatusAt === null && publicUrl() === null) return 'cannot_arrive'
    const from = Math.max(lastStatusAt ?? 0, now() - LOOK_BACK)
    const silentSince = await messages.silentSince(senderId, from, now() - QUIET_FOR)
    return silentSince === null ? 'arrive' : { silentSince }
  }

  return async ({ id, code }: { id: number; code: string }): Promise<OfficialConcernFacts> => {
    const { checks } = await facts.get(id)
    return {
      secretsUnreadable: accounts.unreadable().includes(code),
      failedChecks: checks.flatMap(({ name, ok }) => (ok ? [] : [name])),
      statuses: await statusesOf(id),
      templatesLost: await catalogue.troubles(id),
    }
  }
}
