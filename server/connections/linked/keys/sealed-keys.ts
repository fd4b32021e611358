import { randomUUID } from 'node:crypto'
import { BufferJSON, proto, type SignalDataSet, type SignalDataTypeMap } from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Vault } from '../../../lib/vault.ts'
import { PLACES, type SessionStore, type SignalValue } from '../../../store/index.ts'

// Types to cache. Every message reads these keys, whether stored or not, and decrypting and parsing
// one costs as much as the rest of sending.
const OFTEN_READ: ReadonlySet<string> = new Set(['session', 'tctoken', 'lid-mapping'])
const KEEP_IN_MEMORY = 1_000

/** Types of Kurir's own values, which are stored encrypted beside the library's keys. */
type NoteType = 'salt' | 'history-notice' | 'settings-version' | 'former-identity'

export interface Note {
  type: NoteType
  id: string
  value: unknown
}

const unread = new WeakSet<object>()

/**
 * True if an error means that a key could not be read. The stanza did not leave then, because the
 * library reads all keys before it writes a stanza.
 */
export const isUnread = (error: unknown): boolean => typeof error === 'object' && error !== null && unread.has(error)

interface Value {
  type: string
  id: string
  /** Null deletes. */
  plain: SignalDataTypeMap[keyof SignalDataTypeMap] | null
}

interface Batch {
  values: Map<string, Value>
  notes: SignalValue[]
  written: PromiseWithResolvers<void>
}

/**
 * Stores the keys of one sender, each encrypted and bound to its place. Keys that arrive during a
 * write share the next write, and are read from memory until then.
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

  /** Mark in the sessions that this run writes. The next run to open these keys has another. */
  const line = randomUUID()

  /** Cache of keys by place. Null: the store has no such key. */
  const recent = createBoundedMap<string, SignalDataTypeMap[keyof SignalDataTypeMap] | null>(KEEP_IN_MEMORY)
  /** Newest value of each place that is not on disk yet. */
  const writing = new Map<string, Value>()
  /** Batch of the next write. It takes all values until the current write is done. */
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
    // A value written during the read is newer. An outdated step of a session must not be cached,
    // because it would encrypt two messages with one key.
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
      // A damaged key counts as missing: a new session begins, or the recipient asks again.
      logger.warn({ err, type }, 'a stored Signal key cannot be read')
      return undefined
    }
  }

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

  /** Resolves when the values are on disk. Reads find them at once. */
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

  /** Resolves when all writes so far have reached the store or failed. */
  const settled = () => Promise.allSettled([...underWay, ...(next === undefined ? [] : [next.written.promise])])

  /** Resolves when no write is left. */
  async function whenWritten(): Promise<void> {
    while (next !== undefined || underWay.size > 0) await settled()
  }

  /**
   * Empties the memory, because the identity is given up. Waiting values go to the store first,
   * which keeps the order of calls, so the caller's next change comes after them.
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
    /** Resolves with all stored values of a type, without those that cannot be read. */
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
    /** Stores a value; null removes it. Resolves when the change is on disk. */
    note: async (type: NoteType, id: string, value: unknown): Promise<void> =>
      sessions.setKeys(senderId, [sealedValue(type, id, value)]),
  }
}

/** Record of libsignal, with the mark of the run that wrote it (`line`). */
interface SessionRecord {
  line?: string
  _sessions?: Record<string, { indexInfo: { closed: number } }>
}

const OPEN = -1

/**
 * Closes the sessions of a record that another run wrote. They may be older than the newest
 * message, as in a restored backup or a copied folder, and would use a key twice. A closed session
 * still decrypts but does not encrypt. Before the next message to its device the library begins a
 * new session (docs/decisions/0012-signal-keys.md).
 */
function endUnlessOf(line: string, record: SessionRecord, now: number): void {
  if (record.line === line) return
  for (const { indexInfo } of Object.values(record._sessions ?? {}))
    if (indexInfo.closed === OPEN) indexInfo.closed = now
}

/** Makes a class instance of the one type on which the library calls methods. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
