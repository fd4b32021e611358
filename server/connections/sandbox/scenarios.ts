import type { Outcome } from '../../messages/channel.ts'

/** Fate of a sandbox message, chosen by the last digits of its number, or of its group's id. */
export interface Scenario {
  check: Outcome | 'go'
  /** Null: WhatsApp never acknowledges. */
  outcome: Outcome | null
  /** Statuses that follow, one after the other. */
  reports: readonly ('delivered' | 'read')[]
  /** The sender drops its connection first and is away for 30 seconds. */
  goesOffline: boolean
}

const ARRIVES: Scenario = {
  check: 'go',
  outcome: { kind: 'acknowledged' },
  reports: ['delivered', 'read'],
  goesOffline: false,
}

const BY_ENDING: Record<string, Partial<Scenario>> = {
  '0001': { check: { kind: 'refused', code: 'recipient_not_on_whatsapp' } },
  '0002': { reports: [] },
  '0003': { reports: ['delivered'] },
  '0004': { outcome: null },
  '0005': { outcome: { kind: 'refused', code: 'account_restricted', providerCode: '463' } },
  '0006': { goesOffline: true },
}

/** Endings of the ids of groups, in place of those of people. */
const OF_GROUPS: Record<string, Partial<Scenario>> = {
  ...BY_ENDING,
  '0001': { check: { kind: 'refused', code: 'not_in_group' } },
  '0103': { check: { kind: 'refused', code: 'group_closed' } },
}

export function scenarioOf(recipient: string): Scenario {
  const [number = '', server] = recipient.split('@')
  return { ...ARRIVES, ...(server === undefined ? BY_ENDING : OF_GROUPS)[number.slice(-4)] }
}
