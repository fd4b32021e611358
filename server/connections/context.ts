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

/** Overrides for tests: timeouts of the library, the connection for files, the PC's networks. */
export interface LinkedOverrides {
  timeouts?: LinkedConnectionDeps['timeouts']
  mediaDispatcher?: Dispatcher
  networkAddresses?: () => ReadonlySet<string>
}

export interface ConnectionContext {
  store: Store
  states: SenderStates
  record: Recorder
  /** Recorder of template messages, which every node sends. */
  recordTemplate: Recorder
  lanes: LaneSet
  /** Returns the channel for queued templates of an official sender or a sandbox. */
  templateChannel: (sender: SenderRow) => Channel
  /** True if this node holds the sender's connection, and no other node of the same database. */
  isOurs: (senderId: number) => boolean
  /** True if another node may connect with the same numbers. */
  mayBeReplaced: boolean
  vault: Vault
  customers: CustomersPort
  /**
   * WhatsApp's address and root key; undefined: the library's own. `versionUrl`: address where
   * WhatsApp's current version is read; undefined: it is not read.
   */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined; versionUrl: string | undefined }
  /** Connects to WhatsApp's hosts for files, and refuses any other host. */
  mediaDispatcher: Dispatcher
  linked: LinkedOverrides
  bus: Bus
  /** Returns the time now, or shortly after a start, the time when Kurir was last open. */
  endTime: () => number
  random: () => number
  clock: Clock
  logger: Logger
}
