import type { OfficialStore } from '../../store/sqlite/official.ts'
import type { Accounts } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'

const MINUTE = 60_000
// Meta reports within seconds; this long is a sign that its callbacks do not arrive.
const QUIET_FOR = 10 * MINUTE
const LOOK_BACK = 7 * 24 * 60 * MINUTE

export interface WarningDeps {
  accounts: Pick<Accounts, 'list' | 'unreadable'>
  facts: Pick<OfficialStore, 'get' | 'silentSince'>
  catalogue: Pick<Catalogue, 'troubles'>
  publicUrl: () => string | null
  now: () => number
}

/** What keeps official senders from working as they should, each with the way out. Anybody may read it: no names, no numbers. */
export function createWarnings({ accounts, facts, catalogue, publicUrl, now }: WarningDeps): () => string[] {
  function ofStatuses(senderId: number, code: string): string[] {
    const { lastStatusAt } = facts.get(senderId)
    if (lastStatusAt === null && publicUrl() === null) {
      return [
        `Statuses of ${code} cannot arrive: Meta has no public address to call. Set up a tunnel to the webhook port and enter its address in Settings.`,
      ]
    }
    const since = facts.silentSince(senderId, Math.max(lastStatusAt ?? 0, now() - LOOK_BACK), now() - QUIET_FOR)
    if (since === null) return []
    const minutes = Math.floor((now() - since) / MINUTE)
    return [
      `No status heard for ${code} for ${minutes} minutes, although messages went out. Check that the tunnel runs and that the app is subscribed to "messages".`,
    ]
  }

  function ofTemplates(senderId: number, code: string): string[] {
    const troubles = catalogue.troubles(senderId)
    if (troubles === 0) return []
    return [`Meta took away ${troubles} of the templates of ${code}. Look at its templates for the reason.`]
  }

  return () => [
    ...accounts.unreadable().map((code) => `The secrets of ${code} cannot be read. Enter them again in the window.`),
    ...accounts.list().flatMap(({ senderId, code }) => [
      ...ofStatuses(senderId, code),
      ...facts
        .get(senderId)
        .checks.filter(({ name, ok }) => !ok && name !== 'public_address' && name !== 'statuses')
        .map(({ name, hint }) => `The check of ${code} failed (${name}). ${hint ?? ''}`),
      ...ofTemplates(senderId, code),
    ]),
  ]
}
