import type { buildConnector } from 'undici'
import type { LinkedOverrides } from '../connections/context.ts'
import type { SystemClock } from '../lib/clock.ts'
import type { RootLogger } from '../lib/logger.ts'
import type { Resolve } from '../lib/net-guard.ts'
import type { RetryPolicy } from '../messages/status.ts'
import type { OpenOptions } from '../store/index.ts'

/** Parts that tests replace: time, chance, the network. */
export interface Overrides extends Pick<OpenOptions, 'soon' | 'opened'> {
  clock?: SystemClock
  /** Time of nodes that share a database. */
  sharedTime?: () => Promise<number>
  random?: () => number
  logger?: RootLogger
  /** 32 bytes; the desktop's shell keeps them. Without it a key file is used. */
  vaultKey?: Buffer
  retry?: RetryPolicy
  resolve?: Resolve
  connect?: buildConnector.connector
  linked?: LinkedOverrides
  /** Room left on the disk. */
  freeBytes?: () => number | null
  /** Folder of the built pages. */
  pages?: string
  /** Restarts this app: a restored backup counts from then on. Without it, from the next start. */
  restart?: () => void
}
