import { createContacts } from './contacts.ts'
import { createDailyCounts } from './daily-counts.ts'
import { createDeliveries } from './deliveries.ts'
import { createEndpoints } from './endpoints.ts'
import type { Engine } from './engine.ts'
import { createEvents } from './events.ts'
import { createIdempotency } from './idempotency.ts'
import { createInbox } from './inbox.ts'
import { createKeys } from './keys.ts'
import { createLinkedFacts } from './linked-facts.ts'
import { createMarketingHolds } from './marketing-holds.ts'
import { createMessageList } from './message-list.ts'
import { createMessageReads } from './message-reads.ts'
import { createMessageSearch, type WordIndex } from './message-search.ts'
import { createMessageTally } from './message-tally.ts'
import { createMessageWrites } from './messages.ts'
import { createMeta } from './meta.ts'
import { createOfficialFacts } from './official-facts.ts'
import { createOutcomes } from './outcomes.ts'
import { createOwnerSessions } from './owner-sessions.ts'
import { createPricingCounts } from './pricing-counts.ts'
import { createProbe } from './probe.ts'
import { createProviderCalls } from './provider-calls.ts'
import { createRefusedCalls } from './refused-calls.ts'
import { createReplies } from './replies.ts'
import { createRetention } from './retention.ts'
import { createSecondRoads } from './second-roads.ts'
import { createSenders } from './senders.ts'
import { createSendingState } from './sending-state.ts'
import { createSettingsStore } from './settings.ts'
import { createSuppressions } from './suppressions.ts'
import { createTallies } from './tallies.ts'
import { createTemplates } from './templates.ts'
import { createUploads } from './uploads.ts'

/**
 * The parts of the store that are the same in both engines: their statements, rows and decisions.
 */
export function createTables(engine: Engine, words: WordIndex, now: () => number) {
  const { db, node, write, writeTogether, remember, holding, inTurn, fence, afterOpenWrites } = engine
  const meta = createMeta(db, write, remember)
  const search = createMessageSearch(db, write, remember, meta, words)
  const endpoints = createEndpoints(db, write, remember)
  const events = createEvents(db, write, endpoints, now)
  const senders = createSenders(engine, events)
  const contacts = createContacts(db, write, now)
  const idempotency = createIdempotency(db, write)
  const sendingState = createSendingState(db, write, fence)
  const calls = createProviderCalls(db)
  const marketingHolds = createMarketingHolds(db, write)
  const pricingCounts = createPricingCounts(db)
  const secondRoads = createSecondRoads(db)
  const reads = createMessageReads(db, calls)
  const uploads = createUploads(db, write, holding)
  const suppressions = createSuppressions(db, write, events, now)
  const replies = createReplies(db, write, { events, endpoints })
  const isSandbox = (senderId: number) => senders.sandboxes().has(senderId)
  const outcomes = createOutcomes(db, remember, { now, isSandbox })
  const dailyCounts = createDailyCounts(db, { node, isSandbox })
  const tallies = createTallies({ db, write, afterOpenWrites, isSandbox })
  const writes = createMessageWrites({
    db,
    write,
    writeTogether,
    remember,
    inTurn,
    fence,
    reads,
    events,
    calls,
    idempotency,
    sendingState,
    contacts,
    suppressions,
    uploads,
    marketingHolds,
    pricingCounts,
    secondRoads,
    outcomes,
    dailyCounts,
    tallies,
    now,
    isThere: senders.isThere,
    codeOf: senders.codeOf,
  })
  return {
    messages: { ...reads, ...createMessageList(engine, search), ...createMessageTally(db), ...writes },
    events,
    deliveries: createDeliveries(db, write, holding, replies.settle),
    endpoints,
    senders,
    sendingState,
    contacts,
    uploads,
    suppressions,
    replies,
    linkedFacts: createLinkedFacts(db, write),
    keys: createKeys(db, write, remember),
    ownerSessions: createOwnerSessions(db, write, remember),
    refusedCalls: createRefusedCalls(db, write),
    idempotency,
    settings: createSettingsStore(db, write, remember),
    meta,
    inbox: createInbox(db, write, reads.isSent),
    templates: createTemplates(db, write, remember),
    officialFacts: createOfficialFacts(db, write),
    marketingHolds,
    secondRoads,
    pricingCounts,
    dailyCounts,
    tallies,
    outcomes,
    search,
    retention: createRetention(db, write, tallies),
    probe: createProbe(write, meta),
  }
}
