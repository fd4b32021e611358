import type { ChannelName, Status } from '../../contract/messages.ts'
import { uuid7Floor } from '../../lib/uuid7.ts'
import type { Message } from '../rows.ts'
import type { Db } from './database.ts'
import { matching, searchWords } from './message-search.ts'
import { MESSAGE_COLUMNS, parseMessage, type RawMessage } from './messages.ts'

export interface MessageFilter {
  referenceId?: string | undefined
  statuses?: readonly Status[] | undefined
  senderId?: number | undefined
  channel?: ChannelName | undefined
  recipient?: string | undefined
  templateName?: string | undefined
  /** Accepted at or after, before. Milliseconds. */
  from?: number | undefined
  to?: number | undefined
  /** Words, parts of numbers, references. */
  text?: string | undefined
  /** Older than this `seq`. */
  before?: number | undefined
  limit: number
}

type Value = string | number

export type MessageList = ReturnType<typeof createMessageList>

/** Newest first, by `seq`; every filter has an index or the search behind it (bench/log.ts measures a million rows). */
export function createMessageList(db: Db, searchedUpTo: () => number) {
  // Ids rise with time, so a time is a place in the list.
  const firstAt = db.prepare<[string], { seq: number }>('SELECT seq FROM messages WHERE id >= ? ORDER BY id LIMIT 1')
  const newestSeq = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM messages')
  const seqAt = (ms: number): number => firstAt.get(uuid7Floor(ms))?.seq ?? (newestSeq.get()?.seq ?? 0) + 1

  function conditions(filter: MessageFilter): { where: string[]; values: Value[] } {
    const where: string[] = []
    const values: Value[] = []
    const add = (sql: string, ...more: Value[]) => {
      where.push(sql)
      values.push(...more)
    }
    if (filter.referenceId !== undefined) add('m.reference_id = ?', filter.referenceId)
    if (filter.statuses !== undefined)
      add(`m.status IN (${filter.statuses.map(() => '?').join(', ')})`, ...filter.statuses)
    if (filter.senderId !== undefined) add('m.sender_id = ?', filter.senderId)
    if (filter.channel !== undefined) add('m.channel = ?', filter.channel)
    if (filter.templateName !== undefined) add('m.template_name = ?', filter.templateName)
    if (filter.from !== undefined) add('m.seq >= ?', seqAt(filter.from))
    if (filter.to !== undefined) add('m.seq < ?', seqAt(filter.to))
    if (filter.before !== undefined) add('m.seq < ?', filter.before)
    if (filter.recipient !== undefined) add('m.recipient = ?', filter.recipient)
    return { where, values }
  }

  /** `source` and its condition come first, so that the search drives the query. */
  function select(
    filter: MessageFilter,
    source: string,
    more: { where: string[]; values: Value[] },
    order = 'm.seq',
  ): Message[] {
    const base = conditions(filter)
    const where = [...more.where, ...base.where]
    const sql = `SELECT ${MESSAGE_COLUMNS} FROM ${source} ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
      ORDER BY ${order} DESC LIMIT ?`
    return db
      .prepare<unknown[], RawMessage>(sql)
      .all(...more.values, ...base.values, filter.limit)
      .map(parseMessage)
  }

  /** What the background has not split into words yet is few, and looked through letter by letter. */
  function search(filter: MessageFilter, words: readonly string[]): Message[] {
    const columns = ['m.recipient', 'm.body', 'm.reference_id', 'm.template_name']
    const anywhere = `(${columns.map((column) => `${column} LIKE ?`).join(' OR ')})`
    const fresh = select(filter, 'messages m', {
      where: ['m.seq > ?', ...words.map(() => anywhere)],
      values: [searchedUpTo(), ...words.flatMap((word) => columns.map(() => `%${word}%`))],
    })
    if (fresh.length >= filter.limit) return fresh
    const rest = { ...filter, limit: filter.limit - fresh.length }
    // CROSS JOIN fixes the order: the words' rows, newest first, each looked up once.
    const indexed = { where: ['messages_words MATCH ?'], values: [matching(words)] }
    const found = select(rest, 'messages_words w CROSS JOIN messages m ON m.seq = w.rowid', indexed, 'w.rowid')
    return [...fresh, ...found]
  }

  return {
    list(filter: MessageFilter): Message[] {
      const words = searchWords(filter.text?.trim() ?? '')
      return words.length === 0 ? select(filter, 'messages m', { where: [], values: [] }) : search(filter, words)
    },
    /** How many were accepted since. */
    acceptedSince: (ms: number): number =>
      db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM messages WHERE id >= ?').get(uuid7Floor(ms))?.n ??
      0,
    /** Rows accepted after a `seq`, oldest first. */
    after: (seq: number, limit: number): Message[] =>
      db
        .prepare<unknown[], RawMessage>(
          `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`,
        )
        .all(seq, limit)
        .map(parseMessage),
    newestSeq: (): number => newestSeq.get()?.seq ?? 0,
  }
}
