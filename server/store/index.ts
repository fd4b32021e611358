/**
 * The store as the rest of the program knows it: these types, and how to open it. The engine is
 * private.
 */

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
export { type FigureStore, type Figures, QUARTER, quarterOf } from './figures.ts'
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
export { type OpenOptions, openStore } from './open.ts'
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
