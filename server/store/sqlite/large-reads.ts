import { CHANNELS, STATUSES } from '../../contract/messages.ts'
import { lettersOf } from '../../contract/phone.ts'
import { integer, type SqlValue } from '../columns.ts'
import { createSuppressionList, type SuppressionStore } from '../contacts.ts'
import { createMessageTally, isInPieces, isSpan, MESSAGE, shortMessage } from '../message-reads.ts'
import type { Message, MessageFilter, MessageSelection, MessageStore } from '../messages.ts'
import { columnsWith, listing } from '../search.ts'
import { DELIVERY, type DeliveryFilter, type DeliveryStore, deliveryList } from '../webhooks.ts'
import type { Db } from './database.ts'
import { matching } from './search.ts'
import { createReads, selecting } from './sql.ts'

const SHORT_MESSAGE = shortMessage(
  (isLong) => `iif(${isLong}, json_set(m.template, '$.components', json('[]')), m.template)`,
)

/** Order of a list, and the condition for rows after a cursor. */
interface Order {
  by: string
  before: string
}
const BY_SEQ: Order = { by: 'm.seq DESC', before: 'm.seq < ?' }
const BY_WORDS: Order = { ...BY_SEQ, by: 'w.rowid DESC' }
const BY_TIME: Order = {
  by: 'm.created_at DESC, m.seq DESC',
  before: '(m.created_at, m.seq) < (SELECT created_at, seq FROM messages WHERE seq = ?)',
}

interface Conditions {
  where: readonly string[]
  values: readonly SqlValue[]
}
const NONE: Conditions = { where: [], values: [] }
const together = (...parts: Conditions[]): Conditions => ({
  where: parts.flatMap(({ where }) => where),
  values: parts.flatMap(({ values }) => values),
})
const optionally = (sql: string, value: SqlValue | undefined): Conditions =>
  value === undefined ? NONE : { where: [sql], values: [value] }

/**
 * A search for a reference, made before a message is repeated, also finds a message that was moved
 * to another sender.
 */
const OF_SENDER = { now: '+m.sender_id = ?', ever: '? IN (m.sender_id, m.moved_from)' }

/** True if a list of one sender has an index: by time or by template. */
const isLeading = ({ referenceId, recipients, templateName, ...span }: MessageFilter): boolean =>
  referenceId === undefined && recipients === undefined && isSpan(span) !== (templateName !== undefined)

/**
 * Lists messages, newest first: by `seq`, or a span of time by its own index, because the two
 * orders differ after a clock was set. Every filter has an index or the search behind it
 * (bench/log.ts measures a million rows).
 * @param upTo returns the `seq` of the newest message in the index of words; later messages are
 *   searched letter by letter
 */
function createMessageList(db: Db, upTo: () => number): MessageStore['list'] {
  const whole = selecting(db, MESSAGE)
  const short = selecting(db, SHORT_MESSAGE)
  const columnsOf = (filter: MessageSelection) => (filter.short ? short : whole)

  /**
   * Conditions that choose the index of a list that is not made of pieces: time, reference,
   * recipient, template, and a sender if an index with this sender has the order of the list.
   */
  function leading(filter: MessageFilter): Conditions {
    return together(
      optionally('m.reference_id = ?', filter.referenceId),
      isLeading(filter) ? optionally('m.sender_id = ?', filter.senderId) : NONE,
      optionally('m.template_name = ?', filter.templateName),
      optionally('m.created_at >= ?', filter.from),
      optionally('m.created_at < ?', filter.to),
      oneOf('m.recipient', filter.recipients),
    )
  }

  /**
   * Conditions that are checked for each of these messages. The `+` keeps SQLite from using the
   * indexes of sender, status and channel.
   */
  function others(filter: MessageFilter): Conditions {
    const { noneOf } = filter
    return together(
      oneOf('+m.status', filter.statuses),
      isLeading(filter)
        ? NONE
        : optionally(OF_SENDER[filter.referenceId === undefined ? 'now' : 'ever'], filter.senderId),
      oneOf('+m.sender_id', filter.onlyOf),
      noneOf === undefined ? NONE : { where: [`NOT ${isOneOf('+m.sender_id', noneOf)}`], values: noneOf },
      optionally('+m.channel = ?', filter.channel),
      optionally("+m.status = 'failed' AND m.occurred_at >= ?", filter.failedFrom),
    )
  }

  /** Puts `source` and its condition first, so that the search drives the query. */
  function select(filter: MessageFilter, source: string, first: Conditions, order: Order): Message[] {
    const before = optionally(order.before, filter.before)
    const { where, values } = together(first, leading(filter), others(filter), before)
    const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
    const rows = columnsOf(filter)<SqlValue[]>(`FROM ${source} ${condition} ORDER BY ${order.by} LIMIT ?`)
    return rows.all(...values, filter.limit)
  }

  /**
   * Each status and channel of a sender, or of all senders, is a piece of an index in the order of
   * the list; several pieces together are not in order. One statement reads the newest rows of each
   * piece.
   */
  function selectPieces({ senderId, statuses, channel, before, limit, ...rest }: MessageFilter): Message[] {
    const among = rest.failedFrom === undefined ? STATUSES : (['failed'] as const)
    const pieces = among
      .filter((status) => statuses?.includes(status) ?? true)
      .flatMap((status) => (channel === undefined ? CHANNELS : [channel]).map((each) => [status, each]))
      .map((values) =>
        together(
          optionally('m.sender_id = ?', senderId),
          { where: ['m.status = ?', 'm.channel = ?'], values },
          optionally(BY_SEQ.before, before),
          others({ ...rest, limit }),
        ),
      )
    if (pieces.length === 0) return []
    const seqs = pieces.map(
      ({ where }, n) =>
        `SELECT seq FROM (SELECT m.seq FROM messages m WHERE ${where.join(' AND ')} ORDER BY ${BY_SEQ.by} LIMIT ?) AS piece${n}`,
    )
    return columnsOf(rest)<SqlValue[]>(
      `FROM messages m WHERE m.seq IN (${seqs.join(' UNION ALL ')}) ORDER BY ${BY_SEQ.by} LIMIT ?`,
    ).all(...pieces.flatMap(({ values }) => [...values, limit]), limit)
  }

  function selectNewest(filter: MessageFilter): Message[] {
    if (isInPieces(filter)) return selectPieces(filter)
    return select(filter, 'messages m', NONE, isSpan(filter) ? BY_TIME : BY_SEQ)
  }

  function searchFresh(filter: MessageFilter, words: readonly string[], indexed: number): Message[] {
    const anywhere = (word: string) =>
      `(${columnsWith(word)
        .map((column) => `${column} LIKE ?`)
        .join(' OR ')})`
    const patterns = words.flatMap((word) => columnsWith(word).map(() => `%${lettersOf(word)}%`))
    const first = { where: ['m.seq > ?', ...words.map(anywhere)], values: [indexed, ...patterns] }
    return select(filter, 'messages m', first, BY_SEQ)
  }

  function searchWordsIn(filter: MessageFilter, words: readonly string[], indexed: number): Message[] {
    // CROSS JOIN fixes the order of the join: rows of words, newest first, each with one lookup of
    // its message.
    const source = 'messages_words w CROSS JOIN messages m ON m.seq = w.rowid'
    const values = [matching(words, filter.senderId), indexed]
    return select(filter, source, { where: ['messages_words MATCH ?', 'm.seq <= ?'], values }, BY_WORDS)
  }

  return listing(upTo, { newest: selectNewest, fresh: searchFresh, indexed: searchWordsIn })
}

const isOneOf = (column: string, values: readonly SqlValue[] = []): string =>
  values.length === 0 ? '1 = 0' : `${column} IN (${values.map(() => '?').join(', ')})`

const oneOf = (column: string, values: readonly SqlValue[] | undefined): Conditions =>
  values === undefined ? NONE : { where: [isOneOf(column, values)], values }

/**
 * Counts people through the index by time, because most template messages are delivered or read.
 */
function countingPeople(db: Db): MessageStore['peopleWrittenTo'] {
  const people = selecting(db, { n: integer('count(DISTINCT recipient)') })<[{ lanes: string; from: number }]>(
    `FROM messages INDEXED BY messages_created
     WHERE channel = 'template' AND status IN ('accepted', 'sent', 'delivered', 'read') AND created_at >= @from
       AND lane_id IN (SELECT CAST(value AS INTEGER) FROM json_each(@lanes))`,
  )
  return async (laneIds, ms) => people.get({ lanes: JSON.stringify(laneIds), from: ms })?.n ?? 0
}

/**
 * Reads that a caller, a customer or a file can make large. They run where no call waits for them:
 * at the server of PostgreSQL, or with SQLite on a thread of their own (sqlite/reader.ts).
 */
export interface LargeReads {
  messages: Pick<MessageStore, 'list' | 'after' | 'tallyOfRecipient' | 'peopleWrittenTo'>
  deliveries: Pick<DeliveryStore, 'list'>
  suppressions: Pick<SuppressionStore, 'list'>
}

export function createLargeReads(db: Db, searchedUpTo: () => number): LargeReads {
  const reads = createReads(db)
  function listDeliveries(filter: DeliveryFilter) {
    const [rest, values] = deliveryList(filter)
    return reads.rows(DELIVERY, rest)(...values)
  }
  return {
    messages: {
      ...createMessageTally(reads),
      list: createMessageList(db, searchedUpTo),
      peopleWrittenTo: countingPeople(db),
    },
    deliveries: { list: listDeliveries },
    suppressions: createSuppressionList(reads),
  }
}
