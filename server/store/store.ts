import type { StorageProblem } from '../lib/storage-error.ts'
import {
  createIdempotency,
  createKeys,
  createOwnerSessions,
  type IdempotencyStore,
  type KeyStore,
  type OwnerSessionStore,
} from './access.ts'
import {
  type ContactStore,
  createContacts,
  createMarketingHolds,
  type MarketingHoldStore,
  type SuppressionStore,
} from './contacts.ts'
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
import { forgettingPeople, type RetentionStore } from './retention.ts'
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

/**
 * The nouns as far as their statements are the same in both engines: `whole` ones, and `parts` that
 * each engine completes.
 */
export function createPlainNouns(statements: Statements) {
  return {
    whole: {
      contacts: createContacts(statements),
      groups: createGroups(statements),
      idempotency: createIdempotency(statements),
      keys: createKeys(statements),
      linkedFacts: createLinkedFacts(statements),
      marketingHolds: createMarketingHolds(statements),
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
      retention: { forgetPeople: forgettingPeople(statements) },
      replies: createReplies(statements),
      senders: keepSenders(statements),
      sendingState: createSendingStateReads(statements),
      uploads: createUploads(statements),
    },
  }
}
