import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys'
import { createBoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Generation, SessionStore } from '../../store/index.ts'

// What every message reads. Opening and parsing it costs as much as the rest of sending.
const OFTEN_READ: ReadonlySet<string> = new Set(['session', 'tctoken'])
const KEEP_IN_MEMORY = 500

export interface AuthStateDeps {
  senderId: number
  sessions: SessionStore
  vault: Vault
  clock: Clock
  logger: Logger
}

/** The stored identity is there but cannot be read: a new one must never take its place silently. */
export class SessionUnreadable extends Error {
  override name = 'SessionUnreadable'
  constructor(cause: unknown) {
    super('The stored session of this number cannot be read. Link it again.', { cause })
  }
}

export type AuthState = ReturnType<typeof createAuthState>

/** Credentials and Signal keys of one sender, as the library wants them; sealed, each value bound to its place. */
export function createAuthState({ senderId, sessions, vault, clock, logger }: AuthStateDeps) {
  const encode = (value: unknown, place: string): Buffer =>
    vault.seal(JSON.stringify(value, BufferJSON.replacer), `${senderId}/${place}`)
  const decode = (sealed: Buffer, place: string): unknown =>
    JSON.parse(vault.open(sealed, `${senderId}/${place}`).toString(), BufferJSON.reviver)

  async function read(generation: Generation): Promise<AuthenticationCreds | undefined> {
    const sealed = await sessions.credentials(senderId, generation)
    return sealed && (decode(sealed, 'credentials') as AuthenticationCreds)
  }

  const recent = createBoundedMap<string, SignalDataTypeMap[keyof SignalDataTypeMap]>(KEEP_IN_MEMORY)
  /** The newest write of each place that is under way. */
  const writing = new Map<string, object>()
  let writes = 0

  async function readKey<T extends keyof SignalDataTypeMap>(
    type: T,
    id: string,
  ): Promise<SignalDataTypeMap[T] | undefined> {
    const place = `${type}/${id}`
    const remembered = recent.get(place)
    if (remembered !== undefined) return remembered as SignalDataTypeMap[T]
    const writesBefore = writes
    const sealed = await sessions.getKey(senderId, type, id)
    if (sealed === undefined) return undefined
    try {
      const value = revive(type, decode(sealed, place)) as SignalDataTypeMap[T]
      // What was written while it was read is newer: an outdated step of a session would seal two messages with one key.
      const isNewest = writes === writesBefore && !writing.has(place)
      if (OFTEN_READ.has(type) && isNewest) recent.set(place, value)
      return value
    } catch (err) {
      // A damaged key counts as lost: a new session is agreed on, or the recipient asks again.
      logger.warn({ err, type }, 'a stored Signal key cannot be read')
      return undefined
    }
  }

  const keys: SignalKeyStore = {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const values = await Promise.all(ids.map((id) => readKey(type, id)))
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const [i, id] of ids.entries()) {
        const value = values[i]
        if (value !== undefined) found[id] = value
      }
      return found
    },
    async set(data: SignalDataSet) {
      const changes = Object.entries(data).flatMap(([type, byId]) =>
        Object.entries(byId).map(([id, value]) => ({ type, id, value, place: `${type}/${id}` })),
      )
      const write = {}
      writes += 1
      for (const { place } of changes) {
        recent.delete(place)
        writing.set(place, write)
      }
      try {
        await sessions.setKeys(
          senderId,
          changes.map(({ type, id, value, place }) => ({
            type,
            id,
            value: value === null ? null : encode(value, place),
          })),
        )
        for (const { type, value, place } of changes) {
          if (value !== null && OFTEN_READ.has(type) && writing.get(place) === write) recent.set(place, value)
        }
      } finally {
        for (const { place } of changes) if (writing.get(place) === write) writing.delete(place)
      }
    },
  }

  return {
    keys,
    fresh: initAuthCreds,
    /**
     * The identity that was linked; undefined if there is none.
     * @throws SessionUnreadable
     */
    async load(): Promise<AuthenticationCreds | undefined> {
      try {
        return await read('current')
      } catch (err) {
        logger.warn({ err, sender: senderId }, 'the credentials of a sender cannot be read; trying the last good copy')
      }
      try {
        const good = await read('last_good')
        if (good !== undefined) return good
      } catch (cause) {
        throw new SessionUnreadable(cause)
      }
      throw new SessionUnreadable(undefined)
    },
    save: async (creds: AuthenticationCreds): Promise<void> =>
      sessions.saveCredentials(senderId, 'current', encode(creds, 'credentials'), clock.now()),
    saveGood: async (creds: AuthenticationCreds): Promise<void> =>
      sessions.saveCredentials(senderId, 'last_good', encode(creds, 'credentials'), clock.now()),
    /** A phone has just vouched for this identity: whatever was stored before belongs to another. */
    async begin(creds: AuthenticationCreds): Promise<void> {
      recent.clear()
      await sessions.beginWith(senderId, encode(creds, 'credentials'), clock.now())
    },
    async wipe(): Promise<void> {
      recent.clear()
      await sessions.wipe(senderId)
    },
  }
}

/** The library calls methods of one of the types. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
