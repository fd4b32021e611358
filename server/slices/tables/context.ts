import type { Settings } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Turns } from '../../lib/turns.ts'
import type { MessageContext } from '../../messages/context.ts'
import type { TableStore } from './store.ts'

export interface TableParts {
  messaging: MessageContext
  settings: () => Settings
  clock: Clock
  logger: Logger
}

export interface TableContext extends TableParts {
  tables: TableStore
  /** Serializes reads and writes of portions across all tables. */
  turns: Turns<'table'>
  stopping: AbortController
}
