import { CHANNELS, STATUSES } from '../../contract/messages.ts'
import { lettersOf } from '../../contract/phone.ts'
import { integer } from '../columns.ts'
import { isInPieces, isSpan, MESSAGE, shortMessage } from '../message-reads.ts'
import type { Message, MessageFilter, MessageStore } from '../messages.ts'

import { columnsWith, listing } from '../search.ts'
import { type MessageSearch, queryOf } from './search.ts'
import type { Sql, Value } from './sql.ts'

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
