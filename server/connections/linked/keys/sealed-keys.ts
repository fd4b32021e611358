import { randomUUID } from 'node:crypto'
import { BufferJSON, proto, type SignalDataSet, type SignalDataTypeMap } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Vault } from '../../../lib/vault.ts'
import { PLACES, type SessionStore, type SignalValue } from '../../../store/index.ts'

// Every message reads these, also where there is none. Opening and parsing one costs as much as the
// rest of sending.
const OFTEN_READ: ReadonlySet<string> = new Set(['session', 'tctoken', 'lid-mapping'])
const KEEP_IN_MEMORY = 1_000

/** Values of our own that lie, sealed, beside the library's keys. */
type NoteType = 'salt' | 'history-notice' | 'settings-version' | 'former-identity'

export interface Note {
  type: NoteType
  id: string
  value: unknown
}

const unread = new WeakSet<object>()

/**
 * True if a key could not be read. The library reads all that it needs before it writes a stanza:
 * it did not leave.
 */
export const isUnread = (error: unknown): boolean => typeof error === 'object' && error !== null && unread.has(error)

interface Value {
  type: string
  id: string
  /** Null deletes. */
  plain: SignalDataTypeMap[keyof SignalDataTypeMap] | null
}

/** One write. */
interface Batch {
  values: Map<string, Value>
  notes: SignalValue[]
  written: PromiseWithResolvers<void>
}

/**
 * Values of one sender as they lie in the store: sealed, each bound to its place. What is written
 * while a write is under way goes together with the next, and is read from memory until then.
 */
export function createSealedKeys(senderId: number, sessions: SessionStore, vault: Vault, clock: Clock, logger: Logger) {
  const encode = (value: unknown, place: string): Buffer =>
    vault.seal(JSON.stringify(value, BufferJSON.replacer), PLACES.session(senderId, place))
  const decode = (sealed: Buffer, place: string): unknown =>
    JSON.parse(vault.open(sealed, PLACES.session(senderId, place)).toString(), BufferJSON.reviver)
  const sealedValue = (type: string, id: string, value: unknown): SignalValue => ({
    type,
    id,
    value: value === null ? null : encode(type === 'session' ? { ...(value as object), line } : value, `${type}/${id}`),
  })

  /** The next to open these keys has another one. */
  const line = randomUUID()

  /** Null: there is none. */
  const recent = createBoundedMap<string, SignalDataTypeMap[keyof SignalDataTypeMap] | null>(KEEP_IN_MEMORY)
  /** Values being written, by place: the newest of each. */
  const writing = new Map<string, Value>()
  /** Batch of the next write: it takes all values until the write before it is done. */
  let next: Batch | undefined
  const underWay = new Set<Promise<void>>()
  let writes = 0
  async function readKey<T extends keyof SignalDataTypeMap>(
    type: T,
    id: string,
  ): Promise<SignalDataTypeMap[T] | undefined> {
    const place = `${type}/${id}`
    const remembered = writing.has(place) ? writing.get(place)?.plain : recent.get(place)
    if (remembered !== undefined) return (remembered ?? undefined) as SignalDataTypeMap[T] | undefined
    const writesBefore = writes
    const sealed = await sessions.getKey(senderId, type, id).catch((error: unknown) => {
      if (error instanceof Error) unread.add(error)
      throw error
    })
    // A value that was written during the read is newer: an outdated step of a session would seal
    // two messages with one key.
    const isRemembered = OFTEN_READ.has(type) && writes === writesBefore && !writing.has(place)
    if (sealed === undefined) {
      if (isRemembered) recent.set(place, null)
      return undefined
    }
    try {
      const value = revive(type, decode(sealed, place)) as SignalDataTypeMap[T]
      if (type === 'session') endUnlessOf(line, value as unknown as SessionRecord, clock.now())
      if (isRemembered) recent.set(place, value)
      return value
    } catch (err) {
      // A damaged key counts as lost: a new session is agreed on, or the recipient asks again.
      logger.warn({ err, type }, 'a stored Signal key cannot be read')
      return undefined
    }
  }

  /** Writes what waits. */
  async function write(): Promise<void> {
    if (next === undefined) return
    const { values, notes, written } = next
    next = undefined
    underWay.add(written.promise)
    try {
      const sealed = [...values.values()].map(({ type, id, plain }) => sealedValue(type, id, plain))
      await sessions.setKeys(senderId, [...sealed, ...notes])
      written.resolve()
    } catch (error) {
      for (const [place, value] of values) if (writing.get(place) === value) recent.delete(place)
      written.reject(error)
    } finally {
      for (const [place, value] of values) if (writing.get(place) === value) writing.delete(place)
      underWay.delete(written.promise)
      if (underWay.size === 0) void write()
    }
  }

  /** Resolves when it is on disk; what is read from now on finds it already. */
  function writeKeys(data: SignalDataSet, notes: readonly SignalValue[] = []): Promise<void> {
    if (next === undefined) {
      next = { values: new Map(), notes: [], written: Promise.withResolvers() }
      if (underWay.size === 0) setImmediate(write)
    }
    writes += 1
    for (const [type, byId] of Object.entries(data)) {
      for (const [id, plain] of Object.entries(byId)) {
        const place = `${type}/${id}`
        const value = { type, id, plain }
        writing.set(place, value)
        next.values.set(place, value)
        if (OFTEN_READ.has(type)) recent.set(place, plain)
      }
    }
    next.notes.push(...notes)
    return next.written.promise
  }

  /** Resolves when the values of now have reached the store or failed. */
  const settled = () => Promise.allSettled([...underWay, ...(next === undefined ? [] : [next.written.promise])])

  /** Resolves when none is left. */
  async function whenWritten(): Promise<void> {
    while (next !== undefined || underWay.size > 0) await settled()
  }

  /**
   * The identity whose keys they are is given up. The store takes writes in the order of the calls:
   * what waits goes first.
   */
  function forgetKeys(): void {
    void write()
    writing.clear()
    recent.clear()
  }

  return {
    encode,
    decode,
    seal: sealedValue,
    read: readKey,
    write: writeKeys,
    whenWritten,
    forget: forgetKeys,
    /** Values of our own, by type; one that cannot be read is left out. */
    async notes(type: NoteType | 'tctoken'): Promise<{ id: string; value: unknown }[]> {
      await settled()
      return (await sessions.keysOf(senderId, type)).flatMap(({ id, value }) => {
        try {
          return [{ id, value: decode(value, `${type}/${id}`) }]
        } catch (err) {
          logger.warn({ err, type }, 'a stored value cannot be read')
          return []
        }
      })
    },
    /** Resolves when it is on disk; null removes it. */
    note: async (type: NoteType, id: string, value: unknown): Promise<void> =>
      sessions.setKeys(senderId, [sealedValue(type, id, value)]),
  }
}

/** As libsignal writes it, with the line in which it was written. */
interface SessionRecord {
  line?: string
  _sessions?: Record<string, { indexInfo: { closed: number } }>
}

const OPEN = -1

/**
 * Ends sessions that were stored before this start: they may be older than the newest text, as in a
 * restored backup or a copied folder. Such a session still opens what comes, and seals nothing any
 * more: a key would be used twice. Before the next text to its device the library begins a new one
 * (docs/decisions/0012-signal-keys.md).
 */
function endUnlessOf(line: string, record: SessionRecord, now: number): void {
  if (record.line === line) return
  for (const { indexInfo } of Object.values(record._sessions ?? {}))
    if (indexInfo.closed === OPEN) indexInfo.closed = now
}

/** The library calls methods of one of the types. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
