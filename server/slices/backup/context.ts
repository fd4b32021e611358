import type { Bus } from '../../lib/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { DataKey } from '../../settings/data-key.ts'
import type { Store } from '../../store/index.ts'

/** Context of backups. */
export interface BackupContext {
  home: string
  store: Store
  dataKey: DataKey
  /** Why only backups can be made; null: everything can be done. */
  refusals: { backupPlan: string; restore: string; newDataKey: string } | null
  restart: (() => void) | undefined
  version: string
  updateReady: () => string | null
  uptime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}
