/** The store's public types, and how to open the store. The engines are private. */

import type { BucketOptions } from '../lib/s3-bucket.ts'
import type { SharedStore } from './postgres/nodes.ts'
import type { PostgresOptions } from './postgres/open.ts'
import { lockFolder } from './sqlite/database.ts'
import { openSqlite, type SqliteOptions } from './sqlite/open.ts'
import { forgetReplies } from './sqlite/staged.ts'
import type { Store } from './store.ts'

export type {
  IdempotencyRecord,
  IdempotencySlot,
  IdempotencyStore,
  KeyRow,
  KeyStore,
  OwnerSessionRow,
  OwnerSessionStore,
  StoredAnswer,
} from './access.ts'
export {
  blob,
  type Columns,
  flag,
  integer,
  integerOrNull,
  json,
  jsonOrNull,
  named,
  text,
  textOrNull,
  writing,
} from './columns.ts'
export {
  type ChatFacts,
  type ContactRow,
  type ContactStore,
  isUnwanted,
  type OptOut,
  type Suppression,
  type SuppressionFilter,
  type SuppressionStore,
} from './contacts.ts'
export { type EventRow, isReplyWanted, type NewEvent, type SenderEvent } from './events.ts'
export { countSecondRoads, type FigureStore, type Figures, QUARTER, quarterOf } from './figures.ts'
export type { Generation, GroupRow, GroupStore, LinkedFactsStore, SessionStore, SignalValue } from './linked.ts'
export { startMaintenance } from './maintenance.ts'
export { LAST_PLACE, type QueuePlace, type QueueStore } from './message-reads.ts'
export type {
  Accepted,
  AcceptOptions,
  Also,
  AttemptRow,
  Change,
  Changed,
  Decide,
  EndNamed,
  GroupMember,
  GroupReceipts,
  Message,
  MessageFilter,
  MessageRef,
  MessageSelection,
  MessageStore,
  NewMessage,
  ProviderAnswer,
  TallyRow,
  Urgency,
} from './messages.ts'
export type {
  AccountState,
  ComingCategory,
  InboxRow,
  MessagingLimit,
  NumberFacts,
  OfficialFacts,
  OfficialNews,
} from './official.ts'
export type { NodeFacts, NodeRow, NodeStore, SharedStore } from './postgres/nodes.ts'
export { PLACES, type SealedStore } from './sealed.ts'
export {
  NOTHING_SENT,
  type SenderChange,
  type SenderRow,
  type SenderStore,
  type SendingState,
  type SendingStateStore,
} from './senders.ts'
export type { MetaName, MetaStore, SettingsStore } from './settings.ts'
export { checkCopies, forgetReplaced, prepareStaged, stagedFolder } from './sqlite/staged.ts'
export { overwriting, type Statements } from './statements.ts'
export type { Store } from './store.ts'
export { followClock } from './time.ts'
export type { FileBytesStore, UploadRow } from './uploads.ts'
export type {
  DeliveryAttempt,
  DeliveryCount,
  DeliveryFilter,
  DeliveryRow,
  DeliveryStep,
  EndpointFailure,
  EndpointRow,
} from './webhooks.ts'

export interface OpenOptions extends SqliteOptions {
  /** Database that several nodes share; undefined: the store is in the data folder. */
  databaseUrl?: string | undefined
  node?: string | undefined
  /** Object store for the files of the shared database; undefined: the database holds them. */
  files?: BucketOptions | undefined
  /**
   * Called with the reason, in words for the owner, when the start waits; for half a minute at
   * most.
   */
  waiting?: (why: string) => void
}

/**
 * Opens the store, migrates it, and locks the data folder for this process.
 * @throws StorageError, a sentence for the owner
 */
export async function openStore({
  home,
  databaseUrl,
  node = 'node',
  files,
  waiting = () => {},
  ...options
}: OpenOptions): Promise<Store | SharedStore> {
  const unlock = lockFolder(home)
  try {
    const store =
      databaseUrl === undefined
        ? await openSqlite({ home, ...options })
        : await shared({ url: databaseUrl, node, files, waiting, now: options.now })
    return {
      ...store,
      async copyTo(folder) {
        await store.copyTo(folder)
        forgetReplies(folder)
      },
      async close() {
        await store.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Loaded only here, so that a program on one PC needs no memory for PostgreSQL. */
async function shared(options: PostgresOptions): Promise<SharedStore> {
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(options)
}
