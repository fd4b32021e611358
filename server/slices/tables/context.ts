import type { Settings } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Turns } from '../../lib/turns.ts'
import type { MessageContext } from '../../messages/context.ts'
import type { TableStore } from './store.ts'

/** Context that tables are given. */
export interface TableParts {
  messaging: MessageContext
  settings: () => Settings
  clock: Clock
  logger: Logger
}

/** Context of tables. */
export interface TableContext extends TableParts {
  tables: TableStore
  /** Portions of all tables are read and written one after the other. */
  turns: Turns<'table'>
  stopping: AbortController
}
