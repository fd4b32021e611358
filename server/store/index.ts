/**
 * The store as the rest of the program knows it: these types, and how to open it. The engine is
 * private.
 */

export type { AddressForm, ChatFacts, ContactChange, ContactRow, ContactStore } from './contacts.ts'
export type {
  DeliveryAttempt,
  DeliveryCount,
  DeliveryFilter,
  DeliveryRow,
  DeliveryStep,
  DeliveryStore,
} from './deliveries.ts'
export type { DropRow, DropStore } from './drops.ts'
export type { EndpointChange, EndpointRow, EndpointStore, NewEndpoint } from './endpoints.ts'
export type { EventRow, EventStore, NewEvent, SenderEvent } from './events.ts'
export { type Billed, type FigureStore, type Figures, QUARTER, quarterOf, type Span } from './figures.ts'
export { followClock } from './follow-clock.ts'
export type { GroupRow, GroupStore } from './groups.ts'
export type { IdempotencyKey, IdempotencyRecord, IdempotencyStore, KeptCall, StoredAnswer } from './idempotency.ts'
export type { EarlyStatus, InboxRow, InboxStore } from './inbox.ts'
export type { KeyRow, KeyStore } from './keys.ts'
export type { LinkedFactsStore } from './linked-facts.ts'
export { type MaintenanceDeps, startMaintenance } from './maintenance.ts'
export type { MarketingHoldStore } from './marketing-holds.ts'
export type {
  Also,
  Change,
  EndNamed,
  GroupMember,
  GroupReceipts,
  Message,
  NewMessage,
  ProviderCall,
  Road,
} from './message.ts'
export type {
  Accepted,
  AcceptOptions,
  AttemptRow,
  Changed,
  Decide,
  MessageFilter,
  MessageRef,
  MessageStore,
  QueuePlace,
  TallyRow,
  UnsettledRow,
  Urgency,
} from './messages.ts'
export { LAST_PLACE } from './messages.ts'
export type { MetaName, MetaStore } from './meta.ts'
export type {
  AccountState,
  MessagingLimit,
  NumberFacts,
  OfficialFacts,
  OfficialFactsStore,
  OfficialNews,
} from './official-facts.ts'
export { type OpenOptions, openStore } from './open.ts'
export type { ActedBy, NewOwnerAct, OwnerActFilter, OwnerActor, OwnerActRow, OwnerActStore } from './owner-acts.ts'
export type { OwnerSessionRow, OwnerSessionStore } from './owner-sessions.ts'
export type { NodeFacts, NodeRow, NodeStore, SharedStore } from './postgres/nodes.ts'
export type { NewPrint, PrintContent, PrintRow, PrintStatus, PrintStore } from './prints.ts'
export type { NewRefusedCall, RefusedCaller, RefusedCallRow, RefusedCallStore } from './refused-calls.ts'
export { isReplyWanted, type NewReply, type ReplyStore } from './replies.ts'
export type { RetentionStore } from './retention.ts'
export type { SavedTextRow, SavedTextStore } from './saved-texts.ts'
export { PLACES, type SealedStore } from './sealed.ts'
export type { SearchStore } from './search.ts'
export type { NewSender, SenderChange, SenderRow, SenderStore } from './senders.ts'
export { NOTHING_SENT, type SendingState, type SendingStateStore } from './sending-state.ts'
export type { Generation, SessionStore, SignalValue } from './sessions.ts'
export type { SettingsStore } from './settings.ts'
export { checkCopies } from './sqlite/check.ts'
export { forgetReplaced, prepareStaged, stagedFolder } from './sqlite/staged.ts'
export type { Store } from './store.ts'
export {
  isUnwanted,
  type Suppression,
  type SuppressionFilter,
  type SuppressionRow,
  type SuppressionStore,
} from './suppressions.ts'
export type {
  NewTableLine,
  TableKinds,
  TableLine,
  TableMark,
  TableRow,
  TableState,
  TableStore,
  TableTally,
} from './tables.ts'
export type { ComingCategory, TemplateRow, TemplateStore } from './templates.ts'
export type { ClockSet, TimeStore } from './time.ts'
export type { FileBytesStore, UploadRow, UploadStore } from './uploads.ts'
