import type { buildConnector } from 'undici'
import type { ConnectionsDeps } from './connections/index.ts'
import type { Clock } from './lib/clock.ts'
import type { RootLogger } from './lib/logger.ts'
import type { Resolve } from './lib/net-guard.ts'
import type { RetryPolicy } from './messages/outcome.ts'
import type { Db } from './store/sqlite/database.ts'

/** What tests hand in: time, chance, the way out to the network. */
export interface Overrides {
  clock?: Clock
  random?: () => number
  logger?: RootLogger
  /** 32 bytes; the desktop's shell keeps them. Without it a key file is used. */
  vaultKey?: Buffer
  retry?: RetryPolicy
  /** How long a write that holds nobody up waits for others; 0 where time is moved by hand. */
  soonMs?: number
  /** Gets the open main database: a test makes its disk small. */
  opened?: (db: Db) => void
  resolve?: Resolve
  connect?: buildConnector.connector
  linked?: ConnectionsDeps['linked']
  /** Where the built pages are. */
  pages?: string
  /** Ends this app and makes it anew: a restored backup counts from then on. Without it, from the next start. */
  restart?: () => void
}
