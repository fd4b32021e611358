import type { Dispatcher } from 'undici'
import type { FirstContacts } from '../../contract/senders.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Recorder } from '../../messages/record.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { Store } from '../../store/index.ts'
import type { ReceiptReport } from './receiving/receipts.ts'
import type { SessionChange } from './session/session.ts'
import type { LastRun } from './session/session-state.ts'

/** Everything that a linked number gets from the rest of the program, and what it reports. */
export interface LinkedConnectionDeps {
  senderId: number
  /** The number that was linked last; contacts of another are forgotten. */
  phone: string | null
  /** As the last run left it. */
  initial: LastRun
  /** True if another program of ours may connect with this number. */
  mayBeReplaced: boolean
  /** How often in a row a connection of this number brought nothing, before this one was made. */
  deafBefore: number
  /** True if waiting messages may leave through this number, as far as that is written down. */
  isRecorded(phone: string): boolean
  store: Store
  record: Recorder
  vault: Vault
  /** WhatsApp's address and key; undefined: as the library says. */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined }
  clock: Clock
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime(): number
  random(): number
  logger: Logger
  /** Connects to WhatsApp's hosts for files, and guards it. */
  mediaDispatcher: Dispatcher
  /**
   * Milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a query,
   * WhatsApp's own for a QR code.
   */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number } | undefined
  onState(change: SessionChange): void
  /** A code is shown, another one takes its place, or there is none any more. */
  onLinking(): void
  /** First contacts are held, or `isFreed`, or more is known of the cap on new chats. */
  onFirstContacts(facts: FirstContacts, isFreed: boolean): void
  /** A look-up takes the place of a send. Resolves when that is on disk. */
  onLookUp(): Promise<void>
  /** Resolves when it is on disk: WhatsApp forgets the receipt then. */
  onStatus(report: ReceiptReport): Promise<unknown>
  /** A customer wrote. */
  onReceived: CustomersPort['received']
  wakeLane(): void
  /** A new connection brings nothing either: everything that this one knows is to be made again. */
  onDeaf(times: number): void
}
