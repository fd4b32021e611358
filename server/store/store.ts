import type { StorageProblem } from '../lib/storage-error.ts'
import type { IdempotencyStore, KeyStore, OwnerSessionStore } from './access.ts'
import type { ContactStore, MarketingHoldStore, SuppressionStore } from './contacts.ts'
import type { EventStore, ReplyStore } from './events.ts'
import type { FigureStore } from './figures.ts'

import type { GroupStore, LinkedFactsStore, SessionStore } from './linked.ts'
import type { QueueStore } from './message-reads.ts'
import type { MessageStore } from './messages.ts'
import type { InboxStore, OfficialFactsStore, OfficialMessageStore, TemplateStore } from './official.ts'
import type { RetentionStore } from './retention.ts'
import type { SealedStore } from './sealed.ts'
import type { SearchStore } from './search.ts'
import type { SenderStore, SendingStateStore } from './senders.ts'
import type { MetaStore, SettingsStore } from './settings.ts'

import type { Statements } from './statements.ts'

import type { TimeStore } from './time.ts'
import type { UploadStore } from './uploads.ts'
import type { DeliveryStore, EndpointStore } from './webhooks.ts'

/**
 * Everything that Kurir keeps. Each method is one atomic transition or one read. A write resolves
 * when it is on disk and rejects with StorageError where nothing was written. Reads are promises,
 * because an engine may be another process; the few that are not say so: they are kept in memory.
 */
export interface Store {
  messages: MessageStore
  queues: QueueStore
  officialMessages: OfficialMessageStore
  events: EventStore
  deliveries: DeliveryStore
  endpoints: EndpointStore
  senders: SenderStore
  sendingState: SendingStateStore
  contacts: ContactStore
  uploads: UploadStore
  suppressions: SuppressionStore
  replies: ReplyStore
  sessions: SessionStore
  linkedFacts: LinkedFactsStore
  groups: GroupStore
  keys: KeyStore
  ownerSessions: OwnerSessionStore
  idempotency: IdempotencyStore
  settings: SettingsStore
  meta: MetaStore
  /** Null: where nodes share the database, what is sealed keeps its key. */
  sealed: SealedStore | null
  inbox: InboxStore
  templates: TemplateStore
  officialFacts: OfficialFactsStore
  marketingHolds: MarketingHoldStore
  figures: FigureStore
  search: SearchStore
  retention: RetentionStore
  time: TimeStore
  /** For slices, which keep rows of their own. */
  statements: Statements
  /**
   * Why the last write did not go through, such as a full disk; null where it did. Kept in memory.
   */
  problem(): StorageProblem | null
  /** True if there is room to write, tried for real. */
  probe(): Promise<boolean>
  /** Versions of the schemas, by file, and the size of the messages' database. */
  about(): Promise<{ versions: Record<string, number>; bytes: number }>
  /**
   * Removes copies that an update or a restore left beside the databases, if they are older;
   * resolves with their names.
   */
  removeCopies(before: number): Promise<string[]>
  /** Consistent copies of all files, made while others write. */
  copyTo(folder: string): Promise<void>
  close(): Promise<void>
}
