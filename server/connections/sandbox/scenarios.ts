import type { Outcome } from '../../messages/channel.ts'

/** Fate of a sandbox message, chosen by the last digits of its number. */
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

export const scenarioOf = (recipient: string): Scenario => ({ ...ARRIVES, ...BY_ENDING[recipient.slice(-4)] })
