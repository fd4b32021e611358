import {
  type AuthenticationCreds,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Vault } from '../../../lib/vault.ts'
import type { Generation, SessionStore, SignalValue } from '../../../store/index.ts'
import { createSealedKeys, type Note } from './sealed-keys.ts'

/** Types of values that belong to the account and survive a new link of the same number. */
const OF_THE_ACCOUNT = ['tctoken', 'lid-mapping', 'salt', 'history-notice'] as const
/** Type of replaced identities, which are kept until their phone was asked to forget them. */
const FORMER = 'former-identity' as const

/** The stored identity cannot be read. A new identity must never take its place silently. */
export class SessionUnreadable extends Error {
  override name = 'SessionUnreadable'
  constructor(cause: unknown) {
    super('The stored session of this number cannot be read. Link it again.', { cause })
  }
}

/** The library's key store. `setWith` adds Kurir's own notes to the same write. */
export interface KeysOnDisk extends SignalKeyStore {
  setWith(data: SignalDataSet, notes: readonly Note[]): Promise<void>
}

export type AuthState = ReturnType<typeof createAuthState>

/** Stores the credentials and Signal keys of one sender in the form that the library wants. */
export function createAuthState(senderId: number, stored: SessionStore, vault: Vault, clock: Clock, logger: Logger) {
  let isOver = false
  const sessions: SessionStore = {
    ...stored,
    setKeys: (...args) => unlessOver(() => stored.setKeys(...args)),
    change: (...args) => unlessOver(() => stored.change(...args)),
  }

  async function unlessOver(write: () => Promise<void>): Promise<void> {
    if (isOver) throw new Error('the connection has ended, and another one may write by now')
    return write()
  }

  const sealed = createSealedKeys(senderId, sessions, vault, clock, logger)
  const credentialsOf = (generation: Generation, creds: AuthenticationCreds) => ({
    generation,
    value: sealed.encode(creds, 'credentials'),
    at: clock.now(),
  })
  const opened = (found: Buffer): AuthenticationCreds => sealed.decode(found, 'credentials') as AuthenticationCreds

  /** The identity whose keys are on disk. */
  let owner: AuthenticationCreds | undefined
  /** Keys of identities that no phone has vouched for yet. */
  const unvouched = new WeakMap<AuthenticationCreds, Map<string, SignalValue & { plain: unknown }>>()

  /**
   * Returns the keys of an identity. They stay in memory until a phone has vouched for the
   * identity. After another identity has taken its place, its keys are neither read from disk nor
   * written.
   */
  function keysOf(creds: AuthenticationCreds): KeysOnDisk {
    const kept = unvouched.get(creds) ?? new Map<string, SignalValue & { plain: unknown }>()
    if (owner !== creds) unvouched.set(creds, kept)
    return {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const value =
            owner === creds
              ? await sealed.read(type, id)
              : (kept.get(`${type}/${id}`)?.plain as SignalDataTypeMap[T] | undefined)
          if (value !== undefined && value !== null) found[id] = value
        }
        return found
      },
      async setWith(data, notes) {
        if (owner !== creds) return
        await sealed.write(
          data,
          notes.map(({ type, id, value }) => sealed.seal(type, id, value)),
        )
      },
      async set(data: SignalDataSet) {
        if (owner === creds) return sealed.write(data)
        for (const [type, byId] of Object.entries(data)) {
          for (const [id, value] of Object.entries(byId)) {
            kept.set(`${type}/${id}`, { ...sealed.seal(type, id, value), plain: value })
          }
        }
      },
    }
  }

  const claim = (creds: AuthenticationCreds): AuthenticationCreds => {
    owner = creds
    return creds
  }

  return {
    /**
     * Ends all writing, because a late step of an ended connection would undo the steps of the next
     * connection. Resolves when the writes so far are done.
     */
    async end(): Promise<void> {
      await sealed.whenWritten()
      isOver = true
    },
    keysOf,
    /** False once another identity has taken the place of this one, or it was wiped. */
    isHeld: (creds: AuthenticationCreds): boolean => owner === creds,
    fresh: initAuthCreds,
    /**
     * Resolves with the linked identity; undefined: none is stored.
     * @throws SessionUnreadable
     */
    async load(): Promise<AuthenticationCreds | undefined> {
      const ownerBefore = owner
      const claimed = (creds: AuthenticationCreds | undefined) =>
        creds === undefined || owner !== ownerBefore ? creds : claim(creds)
      // A failed read of the disk says nothing about the identity, so the caller gets the error.
      const current = await sessions.credentials(senderId, 'current')
      try {
        return claimed(current && opened(current))
      } catch (err) {
        logger.warn({ err, sender: senderId }, 'the credentials of a sender cannot be read; trying the last good copy')
      }
      const good = await sessions.credentials(senderId, 'last_good')
      if (good === undefined) throw new SessionUnreadable(undefined)
      try {
        return claimed(opened(good))
      } catch (cause) {
        throw new SessionUnreadable(cause)
      }
    },
    save: async (creds: AuthenticationCreds): Promise<void> =>
      sessions.change(senderId, { credentials: credentialsOf('current', creds) }),
    saveGood: async (creds: AuthenticationCreds): Promise<void> =>
      sessions.change(senderId, { credentials: credentialsOf('last_good', creds) }),
    /**
     * Stores an identity that a phone has just vouched for, in place of the previous one. `former`
     * is kept until its phone was asked to forget it.
     */
    async begin(
      creds: AuthenticationCreds,
      { sameAccount, former }: { sameAccount: boolean; former: AuthenticationCreds | undefined },
    ): Promise<void> {
      sealed.forget()
      claim(creds)
      const keys = [...(unvouched.get(creds)?.values() ?? [])].map(({ type, id, value }) => ({ type, id, value }))
      unvouched.delete(creds)
      if (former !== undefined) keys.push(sealed.seal(FORMER, former.me?.id ?? '', former))
      await sessions.change(senderId, {
        keep: sameAccount ? [...OF_THE_ACCOUNT, FORMER] : [FORMER],
        credentials: credentialsOf('current', creds),
        keys,
      })
    },
    /** Removes the identity, whose link has ended, but keeps the values of its account. */
    async wipe(): Promise<void> {
      sealed.forget()
      owner = undefined
      await sessions.change(senderId, { keep: [...OF_THE_ACCOUNT, FORMER] })
    },
    notes: sealed.notes,
    note: sealed.note,
  }
}
