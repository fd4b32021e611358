import type { SignalAuthState, SignalDataSet } from 'baileys'
import { MOST_KEPT_KEYS, MOST_RECEIVING_CHAINS, MOST_SESSIONS } from '../library/bounds.ts'
import type { KeysOnDisk } from './auth-state.ts'

type LibraryKeys = SignalAuthState['keys']
type Sessions = NonNullable<SignalDataSet['session']>

export interface KeysContext {
  disk: KeysOnDisk
  /** The keys on disk, with the library's transactions. */
  keys: LibraryKeys
  /** Sender keys of groups, by the library's names. */
  senderKeys: { get(name: string): Uint8Array | undefined; set(name: string, record: Uint8Array): void }
  /** Steps of the message that is being decrypted; undefined: none is. */
  held: Held | undefined
  /** Holds later frames until this write is on disk. If the write fails, the connection ends. */
  hold(write: Promise<void>): void
  /** Ends the connection, before anything else is written to it. */
  onLost(): void
}

/** Steps of the session with a message's author that are not on disk yet. */
export interface Held {
  addresses: ReadonlySet<string>
  session: Sessions
  spent: NonNullable<SignalDataSet['pre-key']>
  isDecrypted: boolean
  written: PromiseWithResolvers<void>
}

/**
 * Returns the keys for the library's Signal repository. They write each step of a session when it
 * is made, and hold the frame until the step is on disk (write-barrier.ts). The library itself
 * stores a step when the whole send is over, after the frame has left. A program that is killed in
 * between would encrypt its next message with the same key, and a device drops such a message as a
 * repetition, without asking again (measured with libsignal). A step without a message does no
 * harm. No transaction is needed, because libsignal makes only one step of a session at a time.
 *
 * If a step cannot be read or stored, `onLost` ends the connection. The library would go on without
 * the step and write the message without the copy for that device, and the server would acknowledge
 * the message. A recipient's phone without a copy never says anything.
 */
export const writingStepsAtOnce = (context: KeysContext): LibraryKeys => ({
  ...context.keys,
  async get(type, ids) {
    if (type === 'session') return readSessions(context, ids) as never
    if (type === 'sender-key') return Object.fromEntries(ids.map((id) => [id, context.senderKeys.get(id)])) as never
    return orLost(context, context.keys.get(type, ids))
  },
  async set({ session, 'sender-key': ofGroups, ...others }) {
    for (const [name, record] of Object.entries(ofGroups ?? {})) if (record) context.senderKeys.set(name, record)
    if (session !== undefined) await writeSessions(context, boundedRecords(session))
    if (Object.keys(others).length === 0) return
    const { held } = context
    // The one-time key that began a session is deleted together with the write of the first step,
    // because until then the message may come again.
    if (held?.isDecrypted === false && isSpentKey(others)) Object.assign(held.spent, others['pre-key'])
    else await context.keys.set(others)
  },
})

async function readSessions(context: KeysContext, ids: string[]): Promise<Sessions> {
  const found = await orLost(context, context.disk.get('session', ids))
  const missing = ids.filter((id) => !found[id])
  for (const { id, session } of await orLost(context, begunByNumber(context, missing))) found[id] = session
  for (const id of ids) {
    const step = context.held?.session[id]
    if (step != null) found[id] = step
  }
  return boundedRecords(found)
}

const isSpentKey = (data: SignalDataSet): boolean =>
  Object.keys(data).every((type) => type === 'pre-key') &&
  Object.values(data['pre-key'] ?? {}).every((value) => value === null)

async function writeSessions(context: KeysContext, sessions: Sessions): Promise<void> {
  const { held, disk } = context
  if (held !== undefined && Object.keys(sessions).every((id) => held.addresses.has(id))) {
    if (!held.isDecrypted) return void Object.assign(held.session, sessions)
    await held.written.promise
  }
  const steps = await orLost(context, moved(context, sessions))
  // Not awaited, because the next read finds the step in memory.
  context.hold(Promise.resolve(disk.set({ session: steps })))
}

/** Adds the removal of old places by number, because an old step must never be made again. */
export async function moved(context: KeysContext, sessions: Sessions): Promise<Sessions> {
  const begun = await begunByNumber(context, Object.keys(sessions))
  return { ...sessions, ...Object.fromEntries(begun.map(({ place }) => [place, null])) }
}

/** The library's address of a session by LID. */
const BY_LID = /^(\d+)_1(\.\d+)$/

/**
 * Finds sessions for addresses by LID that are stored by number, because they began before the LID
 * was known. `place`: the address by number.
 */
async function begunByNumber({ disk, keys }: KeysContext, ids: readonly string[]) {
  const begun: { id: string; place: string; session: Uint8Array }[] = []
  for (const id of ids) {
    const [, lid, device] = BY_LID.exec(id) ?? []
    if (lid === undefined) continue
    const name = `${lid}_reverse`
    const { [name]: number } = await keys.get('lid-mapping', [name])
    if (!number) continue
    const place = `${number}${device}`
    const { [place]: session } = await disk.get('session', [place])
    if (session) begun.push({ id, place, session })
  }
  return begun
}

export async function orLost<T>({ onLost }: KeysContext, work: T | Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    onLost()
    throw error
  }
}

const RECEIVING = 2

interface StoredChain {
  chainType: number
  /** Keys of skipped messages, by the number of the message. */
  messageKeys: Record<string, string>
}

/** One session, as libsignal stores it. */
interface StoredSession {
  indexInfo: { closed: number; used?: number }
  /** Chains in the order in which they began. */
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
 * Returns a record cut to its newest sessions, chains and keys within the bounds; the same object
 * if it is within them. Pure.
 */
function boundedRecord(record: StoredRecord): StoredRecord {
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
 * Cuts all records to the bounds. The library's type of a record is wrong: it says bytes, but a
 * record is an object.
 */
function boundedRecords<T>(records: Record<string, T>): Record<string, T> {
  const bounded = (record: T): T => (isRecord(record) ? (boundedRecord(record) as T & StoredRecord) : record)
  return Object.fromEntries(Object.entries(records).map(([id, record]) => [id, bounded(record)]))
}

const isRecord = (value: unknown): value is StoredRecord =>
  typeof value === 'object' && value !== null && '_sessions' in value
