import type { Bucket, BucketOptions } from '../../lib/s3-bucket.ts'
import { StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import { integer } from '../columns.ts'
import { createSuppressionList } from '../contacts.ts'
import { createMessageTally, MESSAGE } from '../message-reads.ts'
import { hasRoom } from '../settings.ts'
import { createPlainNouns } from '../store.ts'
import { copyForBackup } from '../transfer/index.ts'
import { createSuppressions } from './contacts.ts'
import { asStartError, asStorageError, isLost } from './errors.ts'
import { addingReplies, createEvents } from './events.ts'
import { readingFigures } from './figures.ts'
import { loadBucket } from './file-objects.ts'
import { createLeases } from './leases.ts'
import { createSessions } from './linked.ts'
import { createMemory, raiseVersions } from './memory.ts'
import { createLaneReads, createMessageList, messageBy } from './message-reads.ts'
import { createMessageWrites, updateSendingState } from './messages.ts'
import { assertOwnSessions, createAdmission, migrate, NEWEST, supports } from './migrate.ts'
import type { NodeStore, SharedStore } from './nodes.ts'
import { applyingInbox, createOfficialFacts, createTemplates } from './official.ts'
import { type Connection, createPool, endSilence, type Pool, placeOf } from './pool.ts'
import { createRetention } from './retention.ts'
import { createSearch } from './search.ts'
import { changingSenders } from './senders.ts'
import { type Context, createSql, createStatements } from './sql.ts'
import { createTime } from './time.ts'
import { createTransactions, NAMED } from './transactions.ts'
import { checkFiles, createFileBytes, removingUploads } from './uploads.ts'
import { createHints, createWatch, NOTIFIES, NOTIFY } from './watch.ts'
import { changingEndpoints, createDeliverySteps } from './webhooks.ts'

const CONNECTIONS = 10
const CHECKED_EVERY = 1_000
// Short, so that a connection that died silently does not long delay the news of other nodes'
// changes, such as a revoked key.
const CONTROL_WITHIN = 8_000
// Longest wait of a start, in milliseconds.
const WAITED_FOR = 30_000

export interface PostgresOptions {
  url: string
  node: string
  now: () => number
  /** Place of files; undefined: the database. */
  files: BucketOptions | undefined
  waiting: (why: string) => void
}

/**
 * Opens the store in a PostgreSQL database, and migrates it.
 * @throws StorageError, a sentence for the owner
 */
export async function openPostgres(options: PostgresOptions): Promise<SharedStore> {
  const { url, node, files, waiting } = options
  const place = placeOf(url)
  const admit = createAdmission(place, NEWEST)
  const pool = createPool({ url, connections: CONNECTIONS, admit })
  // A pool of its own, so that leases are renewed in time however much is written.
  const control = createPool({ url, connections: 2, answerWithin: CONTROL_WITHIN, admit })
  const bucket = files === undefined ? null : await loadBucket(files)
  try {
    await whenThere(() => migrate(url, place), place, waiting)
    await assertOwnSessions(control, place)
    await checkFiles(control, bucket, node)
    return await createStore({ ...options, pool, control, place, bucket })
  } catch (error) {
    await Promise.all([pool.end(), control.end(), bucket?.close()])
    throw asStartError(error, place)
  }
}

const PASSING: readonly StorageProblem[] = ['no_server', 'locked']

/** Retries `work` while the server is just starting or very busy. */
async function whenThere(work: () => Promise<unknown>, place: string, waiting: (why: string) => void): Promise<void> {
  let said = ''
  for (const until = Date.now() + WAITED_FOR; ; ) {
    try {
      await work()
      return
    } catch (error) {
      const reason = asStorageError(error, place)
      if (!(reason instanceof StorageError && PASSING.includes(reason.problem)) || Date.now() > until) throw reason
      if (reason.message !== said) waiting(reason.message)
      said = reason.message
      await new Promise((resolve) => setTimeout(resolve, CHECKED_EVERY))
    }
  }
}

interface Opened extends PostgresOptions {
  pool: Pool
  control: Pool
  place: string
  bucket: Bucket | null
}

async function createStore({ url, node, pool, control, place, bucket, now }: Opened): Promise<SharedStore> {
  const memory = createMemory(control)
  const watch = createWatch(
    { server: control, memory, problem: () => problem(), tryToWrite: () => hasRoom(statements) },
    CHECKED_EVERY,
  )

  /**
   * Resolves with a connection. Rejects at once while nobody answers, until the check of every
   * second notices that the server is back.
   */
  async function connect(): Promise<Connection> {
    const isAway = !watch.isAnswered() && problem() !== null && (pool.isSilent() || control.isSilent())
    if (isAway) throw new StorageError('no_server', place)
    return pool.connect()
  }

  const sql = createSql(async (question) => {
    let connection: Connection | undefined
    try {
      connection = await connect()
      const answer = await connection.query<Record<string, unknown>>(question)
      connection.release()
      return answer
    } catch (error) {
      connection?.release(isLost(error))
      throw asStorageError(error, place)
    }
  })

  const { claimName, ...leases } = createLeases(control, pool, node, place)
  await claimName()
  // CockroachDB does not support NOTIFY, nor YugabyteDB unless it is configured.
  const notifies = await supports(pool, NOTIFIES)
  const hints = createHints(
    url,
    node,
    async (payload) => (notifies ? control.query(NOTIFY, [payload]) : undefined),
    () => void watch.checkNow(),
  )
  const { write, writeTogether, problem } = createTransactions({
    pool,
    connect,
    place,
    node,
    fenced: leases.refused,
    // Amazon's Aurora refuses the functions of its log unless `wal_level` is `logical`.
    tellsOutcomes: await supports(pool, NAMED),
    beforeCommit(connection, written) {
      const changed = memory.changedBy(written)
      if (changed.length === 0) return []
      // `meta` changes all the time while messages are indexed; for it, the check of every second
      // is soon enough.
      const isUrgent = notifies && changed.some((table) => table !== 'meta')
      return [raiseVersions(connection, changed), ...(isUrgent ? [connection.query(NOTIFY, [hints.changed])] : [])]
    },
  })

  const context = { db: sql, write, writeTogether, remember: memory.remember, fence: leases.fence, now, node }
  const { nouns, fenced, statements } = createNouns(context)
  await memory.begin()

  const files = createFileBytes(pool, place, bucket, node)

  watch.start()
  if (notifies) await hints.start()
  const stopHearing = endSilence([pool, control, hints])

  return {
    ...nouns,
    // While there is a problem, the watch tries to write every second.
    probe: async () => problem() === null,
    statements,
    sealed: null,
    nodes: {
      ...leases,
      name: node,
      files,
      fenced,
      refresh: watch.checkNow,
      onChange: watch.onChange,
      onProblem: watch.onProblem,
      say: hints.say,
      onHint: hints.onHint,
    },
    problem,
    time: createTime(control, place),
    async about() {
      const size = await sql.one({ bytes: integer('pg_database_size(current_database())') }, '')
      return { versions: { kurir: 0 }, bytes: size?.bytes ?? 0 }
    },
    removeCopies: async () => [],
    async copyTo(folder) {
      await copyForBackup(url, folder)
    },
    async close() {
      await watch.stop()
      stopHearing()
      hints.stop()
      await Promise.all([pool.end(), control.end(), files.close()])
    },
  }
}

/**
 * Creates the nouns of the store, and the changes that only the node may make that holds the
 * sender.
 */
function createNouns(context: Context) {
  const { db, write, fence } = context
  const statements = createStatements(context)
  const { whole, parts } = createPlainNouns(statements)
  const search = createSearch(context)
  const { endpoints, senders } = parts
  const events = createEvents(context, endpoints.reads.list)
  const writes = createMessageWrites(context, events, senders)
  const senderWrites = changingSenders(context, events, senders)
  const nouns = {
    ...whole,
    messages: {
      ...parts.messages,
      ...createMessageTally(statements),
      ...createMessageList(db, search),
      ...writes.messages,
      find: (ref) => db.one(MESSAGE, ...messageBy(ref)),
    },
    queues: { ...parts.queues, ...createLaneReads(db), ...writes.queues },
    events: { ...parts.events, ...events },
    deliveries: { ...parts.deliveries, ...createDeliverySteps(context) },
    endpoints: { ...endpoints.reads, ...changingEndpoints(context, endpoints) },
    senders: { ...senders.reads, ...senderWrites },
    sendingState: {
      ...parts.sendingState,
      change: (senderId, next) =>
        write(async (tx) => {
          fence(tx, senderId)
          await updateSendingState(tx, senderId, next)
        }),
    },
    uploads: { ...parts.uploads, ...removingUploads(context) },
    suppressions: {
      ...createSuppressionList(statements),
      ...createSuppressions(context, events),
    },
    replies: { ...parts.replies, add: addingReplies(context, events) },
    meta: parts.meta.meta,
    inbox: { ...parts.inbox, ...applyingInbox(context) },
    templates: createTemplates(context),
    officialFacts: createOfficialFacts(context),
    figures: { ...parts.figures, of: readingFigures(context) },
    search,
    retention: { ...parts.retention, ...createRetention(context, senders.isSandbox) },
    sessions: createSessions(context),
  } satisfies Partial<SharedStore>
  const fenced: NodeStore['fenced'] = {
    changeMessage: (ref, decide, urgency) => writes.messages.change(ref, decide, urgency, true),
    changeSender: (id, decide) => senderWrites.change(id, decide, true),
  }
  return { nouns, fenced, statements }
}
