import type { Message, MessageFilter, MessageStore } from '../messages.ts'
import type { Db } from './engine.ts'
import { MESSAGE } from './message-rows.ts'
import { isPartOfNumber, lettersOf, type MessageSearch, searchWords } from './message-search.ts'
import { integerOrNull, type SqlValue, selecting } from './sql.ts'

/** The order of a list, and what is behind a row of it. */
interface Order {
  by: string
  before: string
}
const BY_SEQ: Order = { by: 'm.seq DESC', before: 'm.seq < ?' }
const BY_WORDS: Order = { by: 'w.rowid DESC', before: 'm.seq < ?' }
const BY_TIME: Order = {
  by: 'm.created_at DESC, m.seq DESC',
  before: '(m.created_at, m.seq) < (SELECT created_at, seq FROM messages WHERE seq = ?)',
}

const isSpan = ({ from, to }: MessageFilter): boolean => from !== undefined || to !== undefined

interface Conditions {
  where: string[]
  values: SqlValue[]
}

/**
 * Newest first: by `seq`, a span of time by its own index, since a clock that was set makes the two differ. Every filter
 * has an index or the search behind it (bench/log.ts measures a million rows).
 */
export function createMessageList(
  db: Db,
  index: Pick<MessageSearch, 'upTo' | 'from' | 'where' | 'order' | 'query'>,
): Pick<MessageStore, 'list' | 'after' | 'newestSeq'> {
  const newestSeq = selecting<{ seq: number | null }>(db, { seq: integerOrNull('max(seq)') })('FROM messages')
  const messages = selecting(db, MESSAGE)
  const after = messages<[number, number]>('FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?')

  function conditionsOf(filter: MessageFilter): Conditions {
    const { statuses, recipients, from, to } = filter
    // A sender has many messages, a reference or recipient few: the `+` keeps the index of the sender out of it.
    const few = filter.referenceId !== undefined || recipients !== undefined
    // In a span of time the index of times leads, so that nothing has to be sorted.
    const isTimed = isSpan(filter)
    const or = isTimed ? '+' : ''
    const all: [sql: string, values: readonly SqlValue[] | undefined][] = [
      ['m.reference_id = ?', optional(filter.referenceId)],
      [`${or}m.status IN (${placesFor(statuses)})`, statuses],
      [few || isTimed ? '+m.sender_id = ?' : 'm.sender_id = ?', optional(filter.senderId)],
      [`+m.sender_id IN (${placesFor(filter.onlyOf)})`, filter.onlyOf],
      [`+m.sender_id NOT IN (${placesFor(filter.noneOf)})`, filter.noneOf],
      // Written out, because the indexes of templates are partial ones.
      [
        filter.channel === 'template' ? "m.channel = 'template'" : "m.channel = 'standard'",
        filter.channel === undefined ? undefined : [],
      ],
      ['m.template_name = ?', optional(filter.templateName)],
      ['m.created_at >= ?', optional(from)],
      ['m.created_at < ?', optional(to)],
      [`m.recipient IN (${placesFor(recipients)})`, recipients],
      // By the index of their status: of all messages few fail.
      [`${or}m.status = 'failed' AND m.occurred_at >= ?`, optional(filter.failedFrom)],
    ]
    const given = all.filter(([, values]) => values !== undefined)
    return { where: given.map(([sql]) => sql), values: given.flatMap(([, values]) => values ?? []) }
  }

  /** `source` and its condition come first, so that the search drives the query. */
  function select(filter: MessageFilter, source: string, first: Conditions, order: Order): Message[] {
    const base = conditionsOf(filter)
    const { before } = filter
    if (before !== undefined) {
      base.where.push(order.before)
      base.values.push(before)
    }
    const where = [...first.where, ...base.where]
    const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`
    return messages<SqlValue[]>(`FROM ${source} ${condition} ORDER BY ${order.by} LIMIT ?`).all(
      ...first.values,
      ...base.values,
      filter.limit,
    )
  }

  /** One status after the other: each is a piece of an index in the order of the list, several together are not. */
  function selectEach(filter: MessageFilter): Message[] {
    const all = { where: [], values: [] }
    if (isSpan(filter)) return select(filter, 'messages m', all, BY_TIME)
    if (filter.statuses === undefined || filter.statuses.length < 2) return select(filter, 'messages m', all, BY_SEQ)
    const found = filter.statuses.flatMap((status) =>
      select({ ...filter, statuses: [status] }, 'messages m', all, BY_SEQ),
    )
    return found.toSorted((a, b) => b.seq - a.seq).slice(0, filter.limit)
  }

  /** What the background has not split into words yet is few, and looked through letter by letter. */
  function search(filter: MessageFilter, words: readonly string[]): Message[] {
    const texts = ['m.body', 'm.reference_id', 'm.template_name']
    const columnsFor = (word: string) => (isPartOfNumber(word) ? ['m.recipient', ...texts] : texts)
    const anywhere = (word: string) =>
      `(${columnsFor(word)
        .map((column) => `${column} LIKE ?`)
        .join(' OR ')})`
    const fresh = select(
      filter,
      'messages m',
      {
        where: ['m.seq > ?', ...words.map(anywhere)],
        values: [index.upTo(), ...words.flatMap((word) => columnsFor(word).map(() => `%${lettersOf(word)}%`))],
      },
      BY_SEQ,
    )
    if (fresh.length >= filter.limit) return fresh
    const rest = { ...filter, limit: filter.limit - fresh.length }
    const indexed = { where: [index.where], values: [index.query(words, filter.senderId)] }
    const found = select(rest, index.from, indexed, BY_WORDS)
    return [...fresh, ...found]
  }

  return {
    async list(filter) {
      const text = filter.text?.trim() ?? ''
      if (text === '') return selectEach(filter)
      const words = searchWords(text)
      // Only signs, such as an emoji, which no index has: found nowhere, for everything would be the wrong answer.
      return words.length === 0 ? [] : search(filter, words)
    },
    after: async (seq, limit) => after.all(seq, limit),
    newestSeq: async () => newestSeq.get()?.seq ?? 0,
  }
}

const optional = (value: SqlValue | undefined): SqlValue[] | undefined => (value === undefined ? undefined : [value])

const placesFor = (values: readonly SqlValue[] = []): string => values.map(() => '?').join(', ')
