import type { Bucket, BucketOptions } from '../../lib/s3-bucket.ts'
import { StorageError, type StorageProblem } from '../../lib/storage-error.ts'
import { integer } from '../columns.ts'
import { hasRoom } from '../meta.ts'
import { createPlainNouns } from '../plain-nouns.ts'
import { createSuppressionList } from '../suppressions.ts'
import { copyForBackup } from '../transfer/index.ts'
import { assertOwnSessions, createAdmission, supports } from './admission.ts'
import { createDeliverySteps } from './deliveries.ts'
import { changingEndpoints } from './endpoints.ts'
import { asStartError, asStorageError, isLost } from './errors.ts'
import { createEvents } from './events.ts'
import { readingFigures } from './figures.ts'
import { checkFiles, createFileBytes } from './file-bytes.ts'
import { loadBucket } from './file-objects.ts'
import { createHints, NOTIFIES, NOTIFY } from './hints.ts'
import { applyingInbox } from './inbox.ts'
import { createLeases } from './leases.ts'
import { createMemory, raiseVersions } from './memory.ts'
import { createMessageList } from './message-list.ts'
import { createLaneReads } from './message-reads.ts'
import { createMessageWrites, updateSendingState } from './messages.ts'
import { migrate, NEWEST } from './migrate.ts'
import type { SharedStore } from './nodes.ts'
import { createOfficialFacts } from './official-facts.ts'
import { type Connection, createPool, type Pool, placeOf } from './pool.ts'
import { addingReplies } from './replies.ts'
import { createRetention } from './retention.ts'
import { createSearch } from './search.ts'
import { changingSenders } from './senders.ts'
import { createSessions } from './sessions.ts'
import { endSilence } from './silence.ts'
import { createSql, createStatements } from './sql.ts'
import { createSuppressions } from './suppressions.ts'
import { createTemplates } from './templates.ts'
import { createTime } from './time.ts'
import { createTransactions, NAMED } from './transactions.ts'
import { removingUploads } from './uploads.ts'
import { createWaiting } from './waiting.ts'

const CONNECTIONS = 10
const CHECKED_EVERY = 1_000
// A connection that is dead without a word must not keep back for long what the others have
// changed, such as a revoked key.
const CONTROL_WITHIN = 8_000
// At a start.
const WAITED_FOR = 30_000

export interface PostgresOptions {
  url: string
  /** The name of this node. */
  node: string
  now: () => number
  /** Place of files; undefined: the database. */
  files: BucketOptions | undefined
  waiting: (why: string) => void
}

/**
 * Opens the store in a PostgreSQL database, brought up to date.
 * @throws StorageError, a sentence for the owner
 */
export async function openPostgres(options: PostgresOptions): Promise<SharedStore> {
  const { url, node, files, waiting } = options
  const place = placeOf(url)
  const admit = createAdmission(place, NEWEST)
  const pool = createPool({ url, connections: CONNECTIONS, admit })
  // Leases are renewed in time, however much is written.
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

/** A server that is just starting, or very busy, is waited for. */
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
  /** True if the newest check was answered. */
  let isAnswered = true

  /**
   * Refuses at once while nobody answers; the check of every second finds out when that is over.
   */
  async function connect(): Promise<Connection> {
    const isAway = !isAnswered && problem() !== null && (pool.isSilent() || control.isSilent())
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
  const memory = createMemory(control)

  const { claimName, ...leases } = createLeases(control, pool, node, place)
  await claimName()
  // CockroachDB does not, nor YugabyteDB unless it is set up so.
  const notifies = await supports(pool, NOTIFIES)
  const hints = createHints(
    url,
    node,
    async (payload) => (notifies ? control.query(NOTIFY, [payload]) : undefined),
    () => void checkNow(),
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
      // `meta` changes all the time where messages are indexed: the look of every second is soon
      // enough.
      const isUrgent = notifies && changed.some((table) => table !== 'meta')
      return [raiseVersions(connection, changed), ...(isUrgent ? [connection.query(NOTIFY, [hints.changed])] : [])]
    },
  })

  const context = { db: sql, write, writeTogether, remember: memory.remember, fence: leases.fence, now, node }
  const statements = createStatements(context)
  const { whole, parts } = createPlainNouns(statements)
  const search = createSearch(context)
  const { endpoints, senders } = parts
  const events = createEvents(context, endpoints.reads.list)
  const isSandbox = (id: number) => senders.reads.sandboxes().has(id)
  const writes = createMessageWrites({
    ...{ context, waiting: createWaiting(context), events, codeOf: senders.reads.codeOf, isSandbox },
  })
  const senderWrites = changingSenders(context, events, senders.reload)
  const nouns = {
    ...whole,
    messages: { ...parts.messages, ...createLaneReads(sql), ...createMessageList(sql, search), ...writes },
    events: { ...parts.events, ...events },
    deliveries: { ...parts.deliveries, ...createDeliverySteps(context) },
    endpoints: { ...endpoints.reads, ...changingEndpoints(context, endpoints.reload) },
    senders: { ...senders.reads, ...senderWrites },
    sendingState: {
      ...parts.sendingState,
      change: (senderId, next) =>
        write(async (tx) => {
          leases.fence(tx, senderId)
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
    retention: { ...parts.retention, ...createRetention(context, isSandbox) },
    sessions: createSessions(context),
  } satisfies Partial<SharedStore>
  await memory.begin()

  const files = createFileBytes(pool, place, bucket, node)

  let stopped = false
  let onChange: (tables: readonly string[]) => void = () => {}
  let onProblem: (problem: StorageProblem | null) => void = () => {}
  let known: StorageProblem | null = null
  let checking = Promise.resolve()
  let next: Promise<void> | undefined

  /**
   * Reads again what has changed since it was last read. Resolves with whether the server may take
   * writes.
   */
  async function check(): Promise<boolean> {
    // One after the other: a renewal of leases finds the other connection free.
    const writable = await isWritable(control)
    isAnswered = true
    const changed = await memory.refresh()
    if (changed.length > 0) onChange(changed)
    return writable
  }

  /**
   * Finds a fault of the server also where nobody writes; a write that is tried has the last word.
   */
  async function checkWrites(): Promise<void> {
    const writable = await check().catch(() => {
      isAnswered = false
      return false
    })
    if (!writable || problem() !== null) await hasRoom(statements)
    if (problem() === known) return
    known = problem()
    onProblem(known)
  }

  /** One after the other; one that has not begun will see all that is there now. */
  function checkNow(): Promise<void> {
    if (next === undefined) {
      next = checking
        .then(() => {
          next = undefined
          return stopped ? undefined : checkWrites()
        })
        .catch(() => undefined)
      checking = next
    }
    return next
  }

  const timer = setInterval(checkNow, CHECKED_EVERY)
  timer.unref()
  if (notifies) await hints.start()
  const stopHearing = endSilence([pool, control, hints])

  return {
    ...nouns,
    // Tried every second while it is not so.
    probe: async () => problem() === null,
    sealed: null,
    nodes: {
      ...leases,
      name: node,
      files,
      fenced: {
        changeMessage: (ref, decide, urgency) => writes.change(ref, decide, urgency, true),
        changeSender: (id, decide) => senderWrites.change(id, decide, true),
      },
      refresh: checkNow,
      onChange(listener) {
        onChange = listener
      },
      onProblem(listener) {
        onProblem = listener
      },
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
      stopped = true
      clearInterval(timer)
      await checking
      stopHearing()
      hints.stop()
      await Promise.all([pool.end(), control.end(), files.close()])
    },
  }
}

async function isWritable(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable')
  return rows[0]?.writable ?? false
}
