import type { StorageProblem } from '../lib/storage-error.ts'
import {
  createIdempotency,
  createKeys,
  createOwnerSessions,
  type IdempotencyStore,
  type KeyStore,
  type OwnerSessionStore,
} from './access.ts'
import { type ContactStore, createContacts, type SuppressionStore } from './contacts.ts'
import { createEventReads, createReplies, type EventStore, type ReplyStore } from './events.ts'
import { createFigures, type FigureStore } from './figures.ts'
import { createGroups, createLinkedFacts, type GroupStore, type LinkedFactsStore, type SessionStore } from './linked.ts'
import { createMessageReads, createQueueReads, type QueueStore } from './message-reads.ts'
import type { MessageStore } from './messages.ts'
import {
  createInbox,
  createOfficialMessages,
  type InboxStore,
  type OfficialFactsStore,
  type OfficialMessageStore,
  type TemplateStore,
} from './official.ts'
import { createRetentionSteps, type RetentionStore } from './retention.ts'
import type { SealedStore } from './sealed.ts'
import type { SearchStore } from './search.ts'
import { createSendingStateReads, keepSenders, type SenderStore, type SendingStateStore } from './senders.ts'
import { createSettings, keepMeta, type MetaStore, type SettingsStore } from './settings.ts'
import type { Statements } from './statements.ts'
import type { TimeStore } from './time.ts'
import { createUploads, type UploadStore } from './uploads.ts'
import { createDeliveries, type DeliveryStore, type EndpointStore, keepEndpoints } from './webhooks.ts'

/**
 * Everything that Kurir keeps. Each method is one atomic transition or one read. A write resolves
 * when it is on disk, and rejects with StorageError if nothing was written. Reads are promises,
 * because an engine may be another process; a few come from memory, and are marked so.
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
  /** Null: nodes share the database, and its data key cannot be changed. */
  sealed: SealedStore | null
  inbox: InboxStore
  templates: TemplateStore
  officialFacts: OfficialFactsStore
  figures: FigureStore
  search: SearchStore
  retention: RetentionStore
  time: TimeStore
  /** For slices, which have tables of their own. */
  statements: Statements
  /** Why the last write failed, such as a full disk; null if it succeeded. Read from memory. */
  problem(): StorageProblem | null
  /** True if the store can be written; tries it for real. */
  probe(): Promise<boolean>
  /** Schema versions by file, and the size of the messages' database in bytes. */
  about(): Promise<{ versions: Record<string, number>; bytes: number }>
  /**
   * Removes copies older than `before` that an update or a restore left beside the databases;
   * resolves with their names.
   */
  removeCopies(before: number): Promise<string[]>
  /** Makes consistent copies of all files while others write. */
  copyTo(folder: string): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the nouns whose statements are the same in both engines: whole nouns, and parts that each
 * engine completes.
 */
export function createPlainNouns(statements: Statements) {
  return {
    whole: {
      contacts: createContacts(statements),
      groups: createGroups(statements),
      idempotency: createIdempotency(statements),
      keys: createKeys(statements),
      linkedFacts: createLinkedFacts(statements),
      officialMessages: createOfficialMessages(statements),
      ownerSessions: createOwnerSessions(statements),
      settings: createSettings(statements),
    } satisfies Partial<Store>,
    parts: {
      deliveries: createDeliveries(statements),
      endpoints: keepEndpoints(statements),
      events: createEventReads(statements),
      figures: createFigures(statements),
      inbox: createInbox(statements),
      messages: createMessageReads(statements),
      queues: createQueueReads(statements),
      meta: keepMeta(statements),
      retention: createRetentionSteps(statements),
      replies: createReplies(statements),
      senders: keepSenders(statements),
      sendingState: createSendingStateReads(statements),
      uploads: createUploads(statements),
    },
  }
}
