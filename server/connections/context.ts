import type { Dispatcher } from 'undici'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { Channel } from '../messages/channel.ts'
import type { LaneSet } from '../messages/context.ts'
import type { Recorder } from '../messages/record.ts'
import type { CustomersPort } from '../senders/customers.ts'
import type { SenderStates } from '../senders/states.ts'
import type { SenderRow, Store } from '../store/index.ts'
import type { LinkedConnectionDeps } from './linked/index.ts'

/** For tests: how long the library waits, whom it trusts, which networks there are. */
export interface LinkedOverrides {
  timeouts?: LinkedConnectionDeps['timeouts']
  mediaDispatcher?: Dispatcher
  networkAddresses?: () => ReadonlySet<string>
}

/** Shared by the connections of all senders. */
export interface ConnectionContext {
  store: Store
  states: SenderStates
  record: Recorder
  /** Recorder of template messages, which every node sends. */
  recordTemplate: Recorder
  lanes: LaneSet
  /** Channel of the queued templates of an official sender or a sandbox. */
  templateChannel: (sender: SenderRow) => Channel
  /** True if its connection is here, and at no other program on the same database. */
  isOurs: (senderId: number) => boolean
  /** True if another program may connect with the same numbers. */
  mayBeReplaced: boolean
  vault: Vault
  customers: CustomersPort
  /**
   * WhatsApp's address; undefined: as the library says. `versionUrl`: where its current version is
   * read; undefined: nowhere.
   */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined; versionUrl: string | undefined }
  /** Connects to WhatsApp's hosts for files, and guards it. */
  mediaDispatcher: Dispatcher
  linked: LinkedOverrides
  bus: Bus
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  random: () => number
  clock: Clock
  logger: Logger
}
