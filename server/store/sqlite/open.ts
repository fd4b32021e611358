import { basename, join } from 'node:path'
import { movedError } from '../move.ts'
import { hasRoom } from '../settings.ts'
import { createPlainNouns, type Store } from '../store.ts'
import { createSuppressions } from './contacts.ts'
import { type Db, openDatabase, watchFiles } from './database.ts'
import { addingReplies, createEvents } from './events.ts'
import { readingFigures, writingFigures } from './figures.ts'
import { createGroupCommit, SOON, type Write } from './group-commit.ts'
import { createSessions } from './linked.ts'
import { createLaneReads } from './message-reads.ts'
import { createMessageWrites, updatingSendingState } from './messages.ts'
import { migrate, versionOf } from './migrate.ts'
import { moveOf } from './move.ts'
import { applyingInbox, createOfficialFacts, createTemplates } from './official.ts'
import { createReader, foldingLog } from './reader.ts'
import { createRetention, createScrub } from './retention.ts'
import { migrations, sessionMigrations } from './schema.ts'
import { createSealed } from './sealed.ts'
import { createMessageSearch } from './search.ts'
import { changingSenders } from './senders.ts'
import { createRun, createStatements, metaValues } from './sql.ts'
import { applyStaged, removeCopies } from './staged.ts'
import { createTime } from './time.ts'
import { removingUploads } from './uploads.ts'
import { changingEndpoints, createDeliverySteps } from './webhooks.ts'

// Pages that a backup copies in one event loop turn: 2 MiB, so that nothing else waits long.
const PAGES = 512

export interface SqliteOptions {
  home: string
  now: () => number
  /**
   * Milliseconds that a write which is not urgent waits for others to share its commit; 0 if a test
   * moves the time.
   */
  soon?: number | undefined
  /** Called with the open main database before its first use; for tests. */
  opened?: ((db: Db) => void) | undefined
}

/**
 * Opens the store in the data folder, and migrates it.
 * @throws StorageError, a sentence for the owner
 */
export async function openSqlite({ home, now, soon = SOON, opened }: SqliteOptions): Promise<Store> {
  const open: Db[] = []
  const close = () => {
    for (const each of open.reverse()) each.close()
  }
  try {
    applyStaged(home)
    const main = openDatabase(join(home, 'kurir.db'))
    open.push(main)
    await migrate(main, migrations)
    const move = moveOf(main)
    if (move !== undefined) throw movedError(move, home)
    const sessions = openDatabase(join(home, 'sessions.db'))
    open.push(sessions)
    await migrate(sessions, sessionMigrations)
    opened?.(main)
    return await createStore({ home, main, sessions, now, soon, close })
  } catch (error) {
    close()
    throw error
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

async function createStore({ home, main: db, sessions, now, soon, close }: Opened): Promise<Store> {
  const files = watchFiles([db.name, sessions.name], now)
  const writeNoted = writingFigures(db)
  const { write: commit, drain, problem } = createGroupCommit(db, soon, files.problem, writeNoted)
  const reader = createReader(db.name, () => {
    const problem = files.problem()
    return problem?.problem === 'gone' ? problem : null
  })
  const countWrite = foldingLog(db, reader, files.check)
  const write: Write = (work, urgency) => {
    countWrite()
    return commit(work, urgency)
  }
  // No gathering: WhatsApp frames wait for each of these commits, and share one only with writes of
  // the same turn.
  const sessionWrites = createGroupCommit(
    sessions,
    soon,
    () => null,
    () => {},
    0,
  )
  const context = { db, write, run: createRun(db), now }
  const { statements, load } = createStatements(context)
  const { whole, parts } = createPlainNouns(statements)
  await load()
  const meta = metaValues(db)
  const search = createMessageSearch(db, write, meta)
  const { endpoints, senders } = parts
  const events = createEvents(context, endpoints.reads.list)
  const updateSendingState = updatingSendingState(context)
  const lanes = createLaneReads(db)
  const suppressions = createSuppressions(context, events)
  const { isSandbox } = senders
  const writes = createMessageWrites(context, { read: lanes.read, events, updateSendingState, suppressions, senders })
  return {
    ...whole,
    messages: { ...parts.messages, ...reader.reads.messages, ...writes.messages, find: lanes.find },
    queues: { ...parts.queues, ...lanes.queues, ...writes.queues },
    events: { ...parts.events, ...events },
    deliveries: { ...parts.deliveries, ...createDeliverySteps(context), ...reader.reads.deliveries },
    endpoints: { ...endpoints.reads, ...changingEndpoints(context, endpoints) },
    senders: { ...senders.reads, ...changingSenders(context, events, senders) },
    sendingState: {
      ...parts.sendingState,
      change: (senderId, next) => write((tx) => updateSendingState(tx, senderId, next)),
    },
    uploads: { ...parts.uploads, ...removingUploads(context) },
    suppressions: { ...suppressions, ...reader.reads.suppressions },
    replies: { ...parts.replies, add: addingReplies(context, events) },
    meta: parts.meta.meta,
    figures: { ...parts.figures, of: readingFigures(context) },
    search,
    inbox: { ...parts.inbox, ...applyingInbox(context) },
    templates: createTemplates(context),
    officialFacts: createOfficialFacts(context),
    retention: {
      ...parts.retention,
      ...createRetention(db, write, isSandbox),
      scrub: createScrub(db, sessions, write, reader),
    },
    sessions: createSessions(sessions, sessionWrites),
    sealed: createSealed({
      db,
      sessions,
      reader,
      drain,
      meta,
      reload: () => Promise.all([senders.reload(), endpoints.reload(), parts.meta.reload()]),
    }),
    time: createTime({ db, drain, writeNoted, meta, isSandbox }),
    statements,
    problem,
    async probe() {
      files.check()
      return hasRoom(statements)
    },
    async about() {
      const [pages = 0, size = 0] = ['page_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })))
      return { versions: { kurir: versionOf(db), sessions: versionOf(sessions) }, bytes: pages * size }
    },
    removeCopies: (before) => removeCopies(home, before),
    async copyTo(folder) {
      for (const each of [db, sessions]) await each.backup(join(folder, basename(each.name)), { progress: () => PAGES })
    },
    async close() {
      drain()
      sessionWrites.drain()
      await reader.close()
      close()
    },
  }
}
