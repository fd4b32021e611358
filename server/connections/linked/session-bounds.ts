import { SessionCipher } from 'libsignal'
import { MOST_SESSIONS, MOST_SKIPPED } from './bounds.ts'

/** One session, as libsignal stores it. */
export interface StoredSession {
  indexInfo: { closed: number; used?: number }
}

/** All sessions with one device. */
export interface StoredRecord {
  _sessions: Record<string, StoredSession>
}

const isOpen = ({ indexInfo }: StoredSession): boolean => indexInfo.closed === -1

/** A record with no more than is kept; the same object where it has no more. Pure. */
export function boundedRecord(record: StoredRecord): StoredRecord {
  const sessions = Object.entries(record._sessions)
  if (sessions.length <= MOST_SESSIONS) return record
  sessions.sort(
    ([, a], [, b]) => Number(isOpen(b)) - Number(isOpen(a)) || (b.indexInfo.used ?? 0) - (a.indexInfo.used ?? 0),
  )
  return { ...record, _sessions: Object.fromEntries(sessions.slice(0, MOST_SESSIONS)) }
}

/** The same of all records that are read or written. The library's type of a record is wrong: it is no bytes. */
export function boundedRecords<T>(records: Record<string, T>): Record<string, T> {
  const bounded = (record: T): T => (isRecord(record) ? (boundedRecord(record) as T & StoredRecord) : record)
  return Object.fromEntries(Object.entries(records).map(([id, record]) => [id, bounded(record)]))
}

const isRecord = (value: unknown): value is StoredRecord =>
  typeof value === 'object' && value !== null && '_sessions' in value

interface Chain {
  chainKey: { counter: number }
}
type FillMessageKeys = (this: unknown, chain: Chain, counter: number) => void

let limited = false

/**
 * Anybody can send a message that claims to be far ahead: libsignal derives all keys up to it, without a pause, in every session
 * that it tries, and only then finds that the message is false.
 */
export function limitSkippedKeys(): void {
  if (limited) return
  limited = true
  const cipher = SessionCipher.prototype as unknown as { fillMessageKeys: FillMessageKeys }
  const fill = cipher.fillMessageKeys
  cipher.fillMessageKeys = function (chain, counter) {
    if (counter - chain.chainKey.counter > MOST_SKIPPED) throw new Error('too far ahead of the last message')
    fill.call(this, chain, counter)
  }
}
