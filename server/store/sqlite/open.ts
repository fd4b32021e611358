import { basename, join } from 'node:path'
import type { Store } from '../store.ts'
import { createContacts } from './contacts.ts'
import { removeCopies } from './copies.ts'
import { createDailyCounts } from './daily-counts.ts'
import { type Db, openDatabase } from './database.ts'
import { createDeliveries } from './deliveries.ts'
import { createEndpoints } from './endpoints.ts'
import { createEvents } from './events.ts'
import { watchFiles } from './files.ts'
import { createGroupCommit, SOON } from './group-commit.ts'
import { createIdempotency } from './idempotency.ts'
import { createInbox } from './inbox.ts'
import { createKeys } from './keys.ts'
import { createLinkedFacts } from './linked-facts.ts'
import { lockFolder } from './lock.ts'
import { createMarketingHolds } from './marketing-holds.ts'
import { createMessageList } from './message-list.ts'
import { createMessageReads } from './message-reads.ts'
import { createMessageSearch } from './message-search.ts'
import { createMessageTally } from './message-tally.ts'
import { createMessageWrites } from './messages.ts'
import { createMeta } from './meta.ts'
import { migrate, versionOf } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { sessionMigrations } from './migrations/sessions.ts'
import { createOfficialFacts } from './official-facts.ts'
import { createOutcomes } from './outcomes.ts'
import { createOwnerSessions } from './owner-sessions.ts'
import { createPricingCounts } from './pricing-counts.ts'
import { createProbe } from './probe.ts'
import { createProviderCalls } from './provider-calls.ts'
import { createRefusedCalls } from './refused-calls.ts'
import { createReplies } from './replies.ts'
import { createRetention } from './retention.ts'
import { createSealed } from './sealed.ts'
import { createSecondRoads } from './second-roads.ts'
import { createSenders } from './senders.ts'
import { createSendingState } from './sending-state.ts'
import { createSessions } from './sessions.ts'
import { createSettingsStore } from './settings.ts'
import { applyStaged } from './staged.ts'
import { createSuppressions } from './suppressions.ts'
import { createTemplates } from './templates.ts'
import { createTime } from './time.ts'
import { createUploads } from './uploads.ts'
import { vacuumIfDue } from './vacuum.ts'

// Copied in one turn of the event loop: 2 MiB, so that nothing else waits long.
const PAGES = 512

export interface OpenOptions {
  /** The data folder. */
  home: string
  now: () => number
  /** Milliseconds that a write which is not urgent waits for others to share its commit; 0 where a test moves the time. */
  soon?: number | undefined
  /** Gets the open main database before it is used; for tests. */
  opened?: ((db: Db) => void) | undefined
}

/** Opens the store in the data folder, brought up to date. @throws StorageError, a sentence for the owner */
export async function openStore({ home, now, soon = SOON, opened }: OpenOptions): Promise<Store> {
  const unlock = lockFolder(home)
  const open: Db[] = []
  const close = () => {
    for (const each of open.reverse()) each.close()
    unlock()
  }
  try {
    applyStaged(home)
    const main = openDatabase(join(home, 'kurir.db'), 'FULL')
    open.push(main)
    await migrate(main, migrations)
    const sessions = openDatabase(join(home, 'sessions.db'), 'NORMAL')
    open.push(sessions)
    await migrate(sessions, sessionMigrations)
    opened?.(main)
    return createStore({ home, main, sessions, now, soon, close })
  } catch (error) {
    close()
    throw error
  }
}

/** What customers wrote is in no copy; its deliveries end with it. */
function forgetReplies(file: string): void {
  const copy = openDatabase(file, 'FULL')
  try {
    copy.pragma('secure_delete = ON')
    copy.exec(
      `UPDATE webhook_deliveries SET state = 'dead', next_at = NULL
       WHERE state = 'pending' AND event_seq IN (SELECT event_seq FROM replies); DELETE FROM replies`,
    )
  } finally {
    copy.close()
  }
}

interface Opened {
  home: string
  main: Db
  sessions: Db
  now: () => number
  soon: number
  close: () => void
}

function createStore({ home, main: db, sessions, now, soon, close }: Opened): Store {
  const files = watchFiles([db.name, sessions.name], now)
  const { write, drain, problem } = createGroupCommit(db, soon, files.problem)
  // These commits need no fsync, and a stanza waits for each: what comes in one turn is enough.
  const sessionWrites = createGroupCommit(sessions, soon, () => null, 1)
  const meta = createMeta(db, write)
  vacuumIfDue(db, meta)
  const search = createMessageSearch(db, write, meta)
  const endpoints = createEndpoints(db, write)
  const events = createEvents(db, write, endpoints, now)
  const senders = createSenders(db, write, events)
  const contacts = createContacts(db, write)
  const idempotency = createIdempotency(db, write)
  const sendingState = createSendingState(db, write)
  const calls = createProviderCalls(db)
  const marketingHolds = createMarketingHolds(db, write)
  const pricingCounts = createPricingCounts(db)
  const secondRoads = createSecondRoads(db)
  const reads = createMessageReads(db, calls)
  const uploads = createUploads(db, write)
  const suppressions = createSuppressions(db, write, events, now)
  const replies = createReplies(db, write, { events, endpoints })
  const isSandbox = (senderId: number) => senders.sandboxes().has(senderId)
  const outcomes = createOutcomes(db, { now, isSandbox })
  const dailyCounts = createDailyCounts(db, { isSandbox })
  const writes = createMessageWrites({
    db,
    write,
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
    isThere: senders.isThere,
    codeOf: senders.codeOf,
  })
  const reload = () => {
    senders.reload()
    endpoints.reload()
  }
  return {
    messages: { ...reads, ...createMessageList(db, search.upTo), ...createMessageTally(db), ...writes },
    events,
    deliveries: createDeliveries(db, write, replies.settle),
    endpoints,
    senders,
    sendingState,
    contacts,
    uploads,
    suppressions,
    replies,
    sessions: createSessions(sessions, sessionWrites),
    linkedFacts: createLinkedFacts(db, write),
    keys: createKeys(db, write),
    ownerSessions: createOwnerSessions(db, write),
    refusedCalls: createRefusedCalls(db, write),
    idempotency,
    settings: createSettingsStore(db, write),
    meta,
    sealed: createSealed({ db, sessions, drain, meta, reload }),
    inbox: createInbox(db, write, reads.isSent),
    templates: createTemplates(db, write),
    officialFacts: createOfficialFacts(db, write),
    marketingHolds,
    secondRoads,
    pricingCounts,
    dailyCounts,
    outcomes,
    search,
    retention: createRetention(db, write),
    time: createTime({ db, write, drain, meta, reload }),
    versions: () => ({ kurir: versionOf(db), sessions: versionOf(sessions) }),
    problem,
    probe: createProbe(write, meta, files),
    bytes: async () => {
      const [pages, size] = ['page_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })))
      return (pages ?? 0) * (size ?? 0)
    },
    removeCopies: (before) => removeCopies(home, before),
    async copyTo(folder) {
      for (const each of [db, sessions]) await each.backup(join(folder, basename(each.name)), { progress: () => PAGES })
      forgetReplies(join(folder, basename(db.name)))
    },
    close() {
      drain()
      sessionWrites.drain()
      close()
    },
  }
}
