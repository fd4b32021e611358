import type { Overview } from '../../contract/overview.ts'
import type { Language } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { AddressPolicy, Network, Resolve } from '../../lib/net-guard.ts'
import type { Vault } from '../../lib/vault.ts'
import type { MessageContext } from '../../messages/context.ts'

/** Context of alarms. */
export interface AlarmContext {
  messaging: MessageContext
  readOverview: () => Promise<Overview>
  language: () => Language
  /** False while another program tells the owner. */
  mayTell: (signal: AbortSignal) => Promise<boolean>
  vault: Vault
  network: Network
  resolve: Resolve
  /** Policy of callbacks: never to metadata or link-local addresses, never to Kurir itself. */
  policy: AddressPolicy
  clock: Clock
  logger: Logger
}
