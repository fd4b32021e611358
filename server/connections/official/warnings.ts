import { DAY, MINUTE } from '../../lib/time.ts'
import type { MessageStore, OfficialFactsStore } from '../../store/index.ts'
import type { Accounts } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'

// Meta reports within seconds; this long is a sign that its callbacks do not arrive.
const QUIET_FOR = 10 * MINUTE
const LOOK_BACK = 7 * DAY

export interface WarningDeps {
  accounts: Pick<Accounts, 'list' | 'unreadable'>
  facts: Pick<OfficialFactsStore, 'get'>
  messages: Pick<MessageStore, 'silentSince'>
  catalogue: Pick<Catalogue, 'troubles'>
  publicUrl: () => string | null
  now: () => number
}

/** What keeps official senders from working as they should, each with what to do. It may be read by anybody: no names, no numbers. */
export function createWarnings(deps: WarningDeps): () => Promise<string[]> {
  const { accounts, facts, messages, catalogue, publicUrl, now } = deps

  async function ofStatuses(senderId: number, code: string): Promise<string[]> {
    const { lastStatusAt } = await facts.get(senderId)
    if (lastStatusAt === null && publicUrl() === null) {
      return [
        `Statuses of ${code} cannot arrive: Meta has no public address to call. Set up a tunnel to the webhook port and enter its address in Settings.`,
      ]
    }
    const since = await messages.silentSince(
      senderId,
      Math.max(lastStatusAt ?? 0, now() - LOOK_BACK),
      now() - QUIET_FOR,
    )
    if (since === null) return []
    const minutes = Math.floor((now() - since) / MINUTE)
    return [
      `No status heard for ${code} for ${minutes} minutes, although messages went out. Check that the tunnel runs and that the app is subscribed to "messages".`,
    ]
  }

  async function ofChecks(senderId: number, code: string): Promise<string[]> {
    const { checks } = await facts.get(senderId)
    return checks
      .filter(({ name, ok }) => !ok && name !== 'public_address' && name !== 'statuses')
      .map(({ name, hint }) => `The check of ${code} failed (${name}). ${hint ?? ''}`)
  }

  async function ofTemplates(senderId: number, code: string): Promise<string[]> {
    const troubles = await catalogue.troubles(senderId)
    if (troubles === 0) return []
    return [`Meta took away ${troubles} of the templates of ${code}. Look at its templates for the reason.`]
  }

  return async () => {
    const warnings = accounts
      .unreadable()
      .map((code) => `The secrets of ${code} cannot be read. Enter them again in the window.`)
    for (const { senderId, code } of accounts.list()) {
      warnings.push(
        ...(await ofStatuses(senderId, code)),
        ...(await ofChecks(senderId, code)),
        ...(await ofTemplates(senderId, code)),
      )
    }
    return warnings
  }
}
