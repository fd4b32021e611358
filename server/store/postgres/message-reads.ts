import { CHANNELS, PRIORITIES, STATUSES } from '../../contract/messages.ts'
import { lettersOf } from '../../contract/phone.ts'
import { integer } from '../columns.ts'
import { isInPieces, isSpan, MESSAGE, type QueueStore, shortMessage } from '../message-reads.ts'
import type { Message, MessageFilter, MessageRef, MessageStore } from '../messages.ts'
import { columnsWith, listing } from '../search.ts'
import { type MessageSearch, queryOf } from './search.ts'
import type { Sql, Value } from './sql.ts'

const ALL_PRIORITIES = [...PRIORITIES.keys()]

/** One message: the rest of its SELECT from FROM on, with its values. */
export function messageBy(ref: MessageRef): [rest: string, values: Value[]] {
  if ('seq' in ref) return ['FROM messages m WHERE m.seq = $1', [ref.seq]]
  if ('id' in ref) return ['FROM messages m WHERE m.id = $1', [ref.id]]
  // One that was sent again has the id of the first: it gets what is reported, unless it ended
  // before it left.
  return [
    `FROM messages m WHERE m.provider_message_id = $1 AND m.lane_id = $2
     ORDER BY (m.status = 'cancelled' OR (m.status = 'failed' AND m.attempts = 0))::int, m.seq DESC LIMIT 1`,
    [ref.providerMessageId, ref.senderId],
  ]
}

/** Changes of one subject are written one after the other. */
export const subjectOf = (ref: MessageRef): string | undefined =>
  ('providerMessageId' in ref ? ref.providerMessageId : null) ?? undefined

/**
 * Rows of each priority, which is a piece of the index that is in order. `$1` is the lane, `$2` the
 * limit.
 */
const ofEachPriority = (condition: string): string =>
  `FROM unnest(ARRAY[${ALL_PRIORITIES}]::bigint[]) AS p (priority) CROSS JOIN LATERAL (
     SELECT * FROM messages WHERE lane_id = $1 AND priority = p.priority AND ${condition}
     ORDER BY next_at, seq LIMIT $2) AS m`

/** Messages of a lane. */
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
 * JSON may name NUL and halves of characters, as where a text was cut in an emoji; JSONB refuses
 * the whole text for them.
 */
export const asJsonb = (column: string): string =>
  `regexp_replace(${column}, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'gi')::jsonb`

/** A message as a list shows it. */
const SHORT_MESSAGE = shortMessage(
  (isLong) => `CASE WHEN ${isLong}
    THEN jsonb_set(${asJsonb('m.template')}, '{components}', '[]')::text ELSE m.template END`,
)

// Rows that are looked through one by one: a few milliseconds.
const LOOKED_THROUGH = 10_000

/** Collects the values of a statement; gives the name of each. */
function createValues() {
  const values: Value[] = []
  return { values, use: (value: Value): string => `$${values.push(value)}` }
}
type Use = ReturnType<typeof createValues>['use']

/** Conditions of a filter but its words, status and channel. */
function conditionsOf(filter: MessageFilter, use: Use, isByTime = false): string[] {
  const { senderId, onlyOf, noneOf, recipients, referenceId, templateName, from, to, failedFrom, before } = filter
  const conditions = [
    referenceId !== undefined && `m.reference_id = ${use(referenceId)}`,
    // A look for a reference, before a message is repeated, finds it also where it was moved.
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

/** The same with status and channel. */
function allConditionsOf(filter: MessageFilter, use: Use, isByTime?: boolean): string[] {
  const { statuses, channel } = filter
  const conditions = conditionsOf(filter, use, isByTime)
  if (statuses !== undefined) conditions.push(`m.status = ANY (${use(statuses)}::text[])`)
  if (channel !== undefined) conditions.push(`m.channel = ${use(channel)}`)
  return conditions
}

const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`

/** Newest first: by `seq`, a span of time by its own index. */
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
   * Each status and channel is a piece of an index that is in the order of the list; several
   * together are not. One statement reads the newest of each.
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

  /** Letter by letter in the few messages that the background has not split into words yet. */
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
   * Searches by words. The newest rows are looked through one by one: a word that many messages
   * have is there fifty times, so that no list of all of them is needed.
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
