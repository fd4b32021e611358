import { CHANNELS, PRIORITIES, STATUSES } from '../../contract/messages.ts'
import { lettersOf } from '../../contract/phone.ts'
import { integer } from '../columns.ts'
import { isInPieces, isSpan, MESSAGE, type QueueStore, shortMessage } from '../message-reads.ts'
import type { Message, MessageFilter, MessageRef, MessageStore } from '../messages.ts'
import { columnsWith, listing } from '../search.ts'
import { type MessageSearch, queryOf } from './search.ts'
import type { Sql, Value } from './sql.ts'

const ALL_PRIORITIES = [...PRIORITIES.keys()]

/** Returns the SELECT of one message: its text from FROM on, and its values. */
export function messageBy(ref: MessageRef): [rest: string, values: Value[]] {
  if ('seq' in ref) return ['FROM messages m WHERE m.seq = $1', [ref.seq]]
  if ('id' in ref) return ['FROM messages m WHERE m.id = $1', [ref.id]]
  // A message that was sent again keeps the provider's id of the first one. Reports belong to the
  // newer message, unless it ended before it left.
  return [
    `FROM messages m WHERE m.provider_message_id = $1 AND m.lane_id = $2
     ORDER BY (m.status = 'cancelled' OR (m.status = 'failed' AND m.attempts = 0))::int, m.seq DESC LIMIT 1`,
    [ref.providerMessageId, ref.senderId],
  ]
}

/**
 * Returns the subject of a message's changes. Changes of one subject are written one after the
 * other.
 */
export const subjectOf = (ref: MessageRef): string | undefined =>
  ('providerMessageId' in ref ? ref.providerMessageId : null) ?? undefined

/**
 * Returns SQL for rows of each priority, which is a piece of the index that is in order. `$1` is
 * the lane, `$2` the limit.
 */
const ofEachPriority = (condition: string): string =>
  `FROM unnest(ARRAY[${ALL_PRIORITIES}]::bigint[]) AS p (priority) CROSS JOIN LATERAL (
     SELECT * FROM messages WHERE lane_id = $1 AND priority = p.priority AND ${condition}
     ORDER BY next_at, seq LIMIT $2) AS m`

export function createLaneReads(db: Sql) {
  return {
    due: (laneId, at, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('next_at <= $3')} ORDER BY m.priority, m.next_at, m.seq LIMIT $2`, [
        laneId,
        limit,
        at,
      ]),
    waitingAfter: (laneId, { nextAt, seq }, limit) =>
      db.rows(MESSAGE, `${ofEachPriority('(next_at, seq) > ($3, $4)')} ORDER BY m.next_at, m.seq LIMIT $2`, [
        ...[laneId, limit, nextAt, seq],
      ]),
    async dueBefore(laneId, { priority, nextAt, seq }, at) {
      const row = await db.one(
        { count: integer('count(*)') },
        `FROM messages WHERE lane_id = $1 AND priority = ANY (ARRAY[${ALL_PRIORITIES}]) AND next_at <= $2
           AND (priority, next_at, seq) < ($3, $4, $5)`,
        [laneId, at, PRIORITIES.indexOf(priority), nextAt, seq],
      )
      return row?.count ?? 0
    },
    onOtherRoads: (senderId, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.lane_id IN (SELECT id FROM senders WHERE kind = 'official') AND m.next_at IS NOT NULL
           AND m.sender_id = $1 AND m.lane_id <> m.sender_id AND m.status = 'queued' LIMIT $2`,
        [senderId, limit],
      ),
    overdue: (laneId, { now, ended }, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.lane_id = $1 AND m.next_at IS NOT NULL AND m.expires_at <= $2
           AND (m.end_named > 0 OR m.expires_at <= $3) ORDER BY m.expires_at LIMIT $4`,
        [laneId, now, ended, limit],
      ),
    async nextExpiry(laneId) {
      const from = 'FROM messages WHERE lane_id = $1 AND next_at IS NOT NULL ORDER BY expires_at LIMIT 1'
      return (await db.one({ at: integer('expires_at') }, from, [laneId]))?.at ?? null
    },
    repeats: (laneId, at, limit) =>
      db.rows(
        MESSAGE,
        `FROM messages m WHERE m.status = 'sending' AND m.lane_id = $1 AND m.next_at <= $2
         ORDER BY m.due_at, m.seq LIMIT $3`,
        [laneId, at, limit],
      ),
  } satisfies Partial<QueueStore>
}

/**
 * Returns SQL that converts a column to JSONB. JSON may escape NUL and half characters, as of a
 * text that was cut inside an emoji; JSONB refuses the whole text because of them.
 */
export const asJsonb = (column: string): string =>
  `regexp_replace(${column}, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'gi')::jsonb`

const SHORT_MESSAGE = shortMessage(
  (isLong) => `CASE WHEN ${isLong}
    THEN jsonb_set(${asJsonb('m.template')}, '{components}', '[]')::text ELSE m.template END`,
)

// Rows that are read one by one, which takes a few milliseconds.
const LOOKED_THROUGH = 10_000

/** Collects the values of a statement; `use` adds one and returns its placeholder. */
function createValues() {
  const values: Value[] = []
  return { values, use: (value: Value): string => `$${values.push(value)}` }
}
type Use = ReturnType<typeof createValues>['use']

/** Returns the conditions of a filter, except its words, status and channel. */
function conditionsOf(filter: MessageFilter, use: Use, isByTime = false): string[] {
  const { senderId, onlyOf, noneOf, recipients, referenceId, templateName, from, to, failedFrom, before } = filter
  const conditions = [
    referenceId !== undefined && `m.reference_id = ${use(referenceId)}`,
    // A search for a reference, made before a message is repeated, also finds a message that was
    // moved to another sender.
    senderId !== undefined && `${use(senderId)} IN (m.sender_id${referenceId === undefined ? '' : ', m.moved_from'})`,
    templateName !== undefined && `m.template_name = ${use(templateName)}`,
    from !== undefined && `m.created_at >= ${use(from)}`,
    to !== undefined && `m.created_at < ${use(to)}`,
    recipients !== undefined && `m.recipient = ANY (${use(recipients)}::text[])`,
    onlyOf !== undefined && `m.sender_id = ANY (${use(onlyOf)}::bigint[])`,
    noneOf !== undefined && `m.sender_id <> ALL (${use(noneOf)}::bigint[])`,
    failedFrom !== undefined && `m.status = 'failed' AND m.occurred_at >= ${use(failedFrom)}`,
    before !== undefined && !isByTime && `m.seq < ${use(before)}`,
    before !== undefined &&
      isByTime &&
      `(m.created_at, m.seq) < (SELECT created_at, seq FROM messages WHERE seq = ${use(before)})`,
  ]
  return conditions.filter((condition) => condition !== false)
}

/** Does the same as `conditionsOf`, and adds status and channel. */
function allConditionsOf(filter: MessageFilter, use: Use, isByTime?: boolean): string[] {
  const { statuses, channel } = filter
  const conditions = conditionsOf(filter, use, isByTime)
  if (statuses !== undefined) conditions.push(`m.status = ANY (${use(statuses)}::text[])`)
  if (channel !== undefined) conditions.push(`m.channel = ${use(channel)}`)
  return conditions
}

const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`

/** Lists messages, newest first: by `seq`, or a span of time by its own index. */
export function createMessageList(db: Sql, search: MessageSearch) {
  const read = (filter: MessageFilter, rest: string, values: readonly Value[]): Promise<Message[]> =>
    db.rows(filter.short ? SHORT_MESSAGE : MESSAGE, rest, values)

  function newest(filter: MessageFilter): Promise<Message[]> {
    const { values, use } = createValues()
    const where = whereOf(allConditionsOf(filter, use, isSpan(filter)))
    const order = isSpan(filter) ? 'm.created_at DESC, m.seq DESC' : 'm.seq DESC'
    return read(filter, `FROM messages m ${where} ORDER BY ${order} LIMIT ${use(filter.limit)}`, values)
  }

  /**
   * Each status and channel is a piece of an index in the order of the list; several pieces
   * together are not in order. One statement reads the newest rows of each piece.
   */
  function newestOfPieces(filter: MessageFilter): Promise<Message[]> {
    const { statuses, channel, limit } = filter
    const pieces = STATUSES.filter((status) => statuses?.includes(status) ?? true).flatMap((status) =>
      CHANNELS.filter((each) => channel === undefined || each === channel).map((each) => ({ status, channel: each })),
    )
    const { values, use } = createValues()
    const named = [pieces.map((piece) => piece.status), pieces.map((piece) => piece.channel)].map(use)
    const conditions = ['m.status = piece.status', 'm.channel = piece.channel', ...conditionsOf(filter, use)]
    const most = use(limit)
    return read(
      filter,
      `FROM messages m WHERE m.seq IN (
         SELECT found.seq FROM unnest(${named[0]}::text[], ${named[1]}::text[]) AS piece (status, channel)
         CROSS JOIN LATERAL (SELECT m.seq FROM messages m ${whereOf(conditions)} ORDER BY m.seq DESC LIMIT ${most}) AS found)
       ORDER BY m.seq DESC LIMIT ${most}`,
      values,
    )
  }

  /** Searches letter by letter in the few messages that the background has not indexed yet. */
  function searchFresh(filter: MessageFilter, words: readonly string[], upTo: number): Promise<Message[]> {
    const { values, use } = createValues()
    const anywhere = words.map((word) => {
      const pattern = use(`%${lettersOf(word)}%`)
      return `(${columnsWith(word)
        .map((column) => `${column} ILIKE ${pattern}`)
        .join(' OR ')})`
    })
    const where = whereOf([`m.seq > ${use(upTo)}`, ...anywhere, ...allConditionsOf(filter, use)])
    return read(filter, `FROM messages m ${where} ORDER BY m.seq DESC LIMIT ${use(filter.limit)}`, values)
  }

  /**
   * Searches by words. Reads the newest rows one by one first, because a word that many messages
   * have fills the list from them, and no list of all matches is needed.
   */
  async function searchWordsIn(filter: MessageFilter, words: readonly string[], upTo: number): Promise<Message[]> {
    async function found(source: (use: Use) => string, condition: (use: Use) => string): Promise<Message[]> {
      const { values, use } = createValues()
      const from = source(use)
      const where = whereOf([condition(use), ...allConditionsOf(filter, use)])
      const join = `FROM ${from} AS w JOIN messages m ON m.seq = w.rowid`
      return read(filter, `${join} ${where} ORDER BY w.rowid DESC LIMIT ${use(filter.limit)}`, values)
    }
    const query = queryOf(words, filter.senderId)
    const last = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, upTo + 1)
    const newestRows = await found(
      (use) => `(SELECT * FROM messages_words WHERE rowid < ${use(last)} ORDER BY rowid DESC LIMIT ${LOOKED_THROUGH})`,
      (use) => `w.words @@ ${use(query)}::tsquery`,
    )
    if (newestRows.length === filter.limit) return newestRows
    return found(
      (use) => `(SELECT h AS rowid FROM messages_having(${use(query)}::tsquery) AS h ORDER BY h DESC OFFSET 0)`,
      (use) => `m.seq <= ${use(upTo)}`,
    )
  }

  return {
    list: listing(search.upTo, {
      newest: (filter) => (isInPieces(filter) ? newestOfPieces(filter) : newest(filter)),
      fresh: searchFresh,
      indexed: searchWordsIn,
    }),
    async peopleWrittenTo(laneIds, ms) {
      const row = await db.one(
        { count: integer('count(DISTINCT recipient)') },
        `FROM messages WHERE channel = 'template' AND status IN ('accepted', 'sent', 'delivered', 'read')
           AND created_at >= $2 AND lane_id = ANY ($1::bigint[])`,
        [laneIds, ms],
      )
      return row?.count ?? 0
    },
  } satisfies Partial<MessageStore>
}
