import type { Concern } from '../contract/concerns.ts'
import type { SenderView } from '../contract/senders.ts'
import type { Settings } from '../contract/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { RootLogger } from '../lib/logger.ts'
import type { OfficialConcernFacts } from '../senders/ports.ts'
import type { SenderRow, Store } from '../store/index.ts'

export interface RunFacts {
  version: string
  /** Address that the HTTP server listens on. */
  host: string
  onServer: boolean
  /** Returns milliseconds. */
  uptime: () => number
  /** Returns when the program started or the PC last woke up, in milliseconds since 1970. */
  awakeSince: () => number
  /** Returns null if the system does not say. */
  freeBytes: () => number | null
  /** Returns the version that is installed when the program quits; null: none. */
  updateReady: () => string | null
}

export interface OfficialReports {
  /** Resolves with facts about official senders, by their ids. */
  concernFacts(senders: readonly SenderRow[]): Promise<ReadonlyMap<number, OfficialConcernFacts>>
  /** Returns when Meta switches off the API version in use; null: not soon. */
  versionEndsAt(): number | null
  /** Returns fields of Meta's callbacks that Kurir has ignored since the start, with counts. */
  ignoredFields(): { field: string; count: number }[]
}

export interface HealthContext {
  store: Store
  settings: () => Settings
  run: RunFacts
  official: OfficialReports
  /** Returns the running attempt to link a sender; null: none. */
  linking: (senderId: number) => SenderView['linking']
  /** Resolves with concerns of optional features and of the deployment. */
  concernsOfOthers: () => Promise<Concern[]>
  clock: Clock
  logger: RootLogger
}
