import { MOST_KEPT_KEYS, MOST_RECEIVING_CHAINS, MOST_SESSIONS } from '../library/bounds.ts'

const RECEIVING = 2

interface StoredChain {
  chainType: number
  /** Keys of messages that were skipped, by their number. */
  messageKeys: Record<string, string>
}

/** One session, as libsignal stores it. */
interface StoredSession {
  indexInfo: { closed: number; used?: number }
  /** In the order in which they were begun. */
  _chains: Record<string, StoredChain>
}

/** All sessions with one device. */
export interface StoredRecord {
  _sessions: Record<string, StoredSession>
}

const isOpen = ({ indexInfo }: StoredSession): boolean => indexInfo.closed === -1
const isReceiving = ({ chainType }: StoredChain): boolean => chainType === RECEIVING
const keyCount = ({ messageKeys }: StoredChain): number => Object.keys(messageKeys).length

function isWithinBounds({ _sessions }: StoredRecord): boolean {
  const chains = Object.values(_sessions).map((session) => Object.values(session._chains))
  const keys = chains.flat().reduce((sum, chain) => sum + keyCount(chain), 0)
  const mostChains = Math.max(0, ...chains.map((some) => some.filter(isReceiving).length))
  return chains.length <= MOST_SESSIONS && keys <= MOST_KEPT_KEYS && mostChains <= MOST_RECEIVING_CHAINS
}

/**
 * A record with no more than is kept, the newest of it; the same object where it has no more. Pure.
 */
export function boundedRecord(record: StoredRecord): StoredRecord {
  if (isWithinBounds(record)) return record
  let keysLeft = MOST_KEPT_KEYS
  function boundedChain(chain: StoredChain): StoredChain {
    const keys = Object.entries(chain.messageKeys).slice(Math.max(0, keyCount(chain) - keysLeft))
    keysLeft -= keys.length
    return { ...chain, messageKeys: Object.fromEntries(keys) }
  }
  function boundedSession(session: StoredSession): StoredSession {
    const chains = Object.entries(session._chains)
    const tooOld = chains.filter(([, chain]) => isReceiving(chain)).slice(0, -MOST_RECEIVING_CHAINS)
    const kept = chains.filter((chain) => !tooOld.includes(chain))
    const newestFirst = kept.reverse().map(([id, chain]) => [id, boundedChain(chain)] as const)
    return { ...session, _chains: Object.fromEntries(newestFirst.reverse()) }
  }
  const newestFirst = Object.entries(record._sessions).sort(
    ([, a], [, b]) => Number(isOpen(b)) - Number(isOpen(a)) || (b.indexInfo.used ?? 0) - (a.indexInfo.used ?? 0),
  )
  const kept = newestFirst.slice(0, MOST_SESSIONS).map(([id, session]) => [id, boundedSession(session)] as const)
  return { ...record, _sessions: Object.fromEntries(kept) }
}

/**
 * The same of all records that are read or written. The library's type of a record is wrong: it is
 * no bytes.
 */
export function boundedRecords<T>(records: Record<string, T>): Record<string, T> {
  const bounded = (record: T): T => (isRecord(record) ? (boundedRecord(record) as T & StoredRecord) : record)
  return Object.fromEntries(Object.entries(records).map(([id, record]) => [id, bounded(record)]))
}

const isRecord = (value: unknown): value is StoredRecord =>
  typeof value === 'object' && value !== null && '_sessions' in value
