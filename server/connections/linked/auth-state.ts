import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import { createRecent } from './recent.ts'

// What every message reads. Opening and parsing it costs as much as the rest of sending.
const OFTEN_READ: ReadonlySet<string> = new Set(['session', 'tctoken'])
const KEEP_IN_MEMORY = 500

type Generation = 'current' | 'last_good'

export interface SessionStore {
  getKey(senderId: number, type: string, id: string): Buffer | undefined
  /** All of them or none. */
  setKeys(senderId: number, values: { type: string; id: string; value: Buffer | null }[]): void
  credentials(senderId: number, generation: Generation): Buffer | undefined
  saveCredentials(senderId: number, generation: Generation, value: Buffer, at: number): void
  /** Forgets what was there before, all in one step. */
  beginWith(senderId: number, value: Buffer, at: number): void
  wipe(senderId: number): void
}

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

  function read(generation: Generation): AuthenticationCreds | undefined {
    const sealed = sessions.credentials(senderId, generation)
    return sealed && (decode(sealed, 'credentials') as AuthenticationCreds)
  }

  const recent = createRecent<SignalDataTypeMap[keyof SignalDataTypeMap]>(KEEP_IN_MEMORY)

  function readKey<T extends keyof SignalDataTypeMap>(type: T, id: string): SignalDataTypeMap[T] | undefined {
    const place = `${type}/${id}`
    const remembered = recent.get(place)
    if (remembered !== undefined) return remembered as SignalDataTypeMap[T]
    const sealed = sessions.getKey(senderId, type, id)
    if (sealed === undefined) return undefined
    try {
      const value = revive(type, decode(sealed, place)) as SignalDataTypeMap[T]
      if (OFTEN_READ.has(type)) recent.set(place, value)
      return value
    } catch (err) {
      // A damaged key counts as lost: a new session is agreed on, or the recipient asks again.
      logger.warn({ err, type }, 'a stored Signal key cannot be read')
      return undefined
    }
  }

  const keys: SignalKeyStore = {
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const id of ids) {
        const value = readKey(type, id)
        if (value !== undefined) found[id] = value
      }
      return found
    },
    set(data: SignalDataSet) {
      const changes = Object.entries(data).flatMap(([type, byId]) =>
        Object.entries(byId).map(([id, value]) => ({ type, id, value })),
      )
      sessions.setKeys(
        senderId,
        changes.map(({ type, id, value }) => ({
          type,
          id,
          value: value === null ? null : encode(value, `${type}/${id}`),
        })),
      )
      for (const { type, id, value } of changes) {
        if (value === null) recent.delete(`${type}/${id}`)
        else if (OFTEN_READ.has(type)) recent.set(`${type}/${id}`, value)
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
    load(): AuthenticationCreds | undefined {
      try {
        return read('current')
      } catch (err) {
        logger.warn({ err, sender: senderId }, 'the credentials of a sender cannot be read; trying the last good copy')
      }
      try {
        const good = read('last_good')
        if (good !== undefined) return good
      } catch (cause) {
        throw new SessionUnreadable(cause)
      }
      throw new SessionUnreadable(undefined)
    },
    save: (creds: AuthenticationCreds): void =>
      sessions.saveCredentials(senderId, 'current', encode(creds, 'credentials'), clock.now()),
    saveGood: (creds: AuthenticationCreds): void =>
      sessions.saveCredentials(senderId, 'last_good', encode(creds, 'credentials'), clock.now()),
    /** A phone has just vouched for this identity: whatever was stored before belongs to another. */
    begin(creds: AuthenticationCreds): void {
      recent.clear()
      sessions.beginWith(senderId, encode(creds, 'credentials'), clock.now())
    },
    wipe(): void {
      recent.clear()
      sessions.wipe(senderId)
    },
  }
}

/** The library calls methods of one of the types. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
