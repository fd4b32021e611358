import type { Concern } from '../contract/concerns.ts'
import type { SenderView } from '../contract/senders.ts'
import type { Settings } from '../contract/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { RootLogger } from '../lib/logger.ts'
import type { OfficialConcernFacts } from '../senders/ports.ts'
import type { SenderRow, Store } from '../store/index.ts'

/** Facts about this run of the program. */
export interface RunFacts {
  version: string
  /** The address that it listens on. */
  host: string
  /** The database is on a server. */
  onServer: boolean
  /** Milliseconds. */
  uptime: () => number
  /** When the program started, or the PC woke up. */
  awakeSince: () => number
  freeBytes: () => number | null
  /** The version that is installed when the program quits; null: none. */
  updateReady: () => string | null
}

/** Reports of the official side. */
export interface OfficialReports {
  /** Facts about its senders, by their ids. */
  concernFacts(senders: readonly SenderRow[]): Promise<ReadonlyMap<number, OfficialConcernFacts>>
  /** When Meta switches off the version of its API that is used, where that is near. */
  versionEndsAt(): number | null
  /** Fields of Meta's callbacks that nothing was done about since the start. */
  ignoredFields(): { field: string; count: number }[]
}

/** Context of reports about the whole program. */
export interface HealthContext {
  store: Store
  settings: () => Settings
  run: RunFacts
  official: OfficialReports
  /** A running attempt to link this sender. */
  linking: (senderId: number) => SenderView['linking']
  /** Concerns of features that a shop can live without, and of how the program is deployed. */
  concernsOfOthers: () => Promise<Concern[]>
  clock: Clock
  logger: RootLogger
}
