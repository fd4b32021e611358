import type { Language } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { MetaStore } from '../../store/index.ts'
import type { Reported } from './watch.ts'

/** Context of alarms. */
export interface AlarmContext {
  readOverview: () => Promise<Reported>
  language: () => Language
  /** False while another program tells the owner. */
  mayTell: (signal: AbortSignal) => Promise<boolean>
  vault: Vault
  meta: MetaStore
  clock: Clock
  logger: Logger
}
