import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys'
import { SECOND } from '../../../lib/clock.ts'
import { SessionUnreadable } from '../keys/auth-state.ts'
import { makeSocket } from '../library/library-socket.ts'
import { askToForget } from '../library/questions.ts'
import type { SessionContext } from './dial.ts'
import { terminate } from './socket.ts'
import { browserOf, quietConfig } from './socket-config.ts'

/** Credentials that a session connects with, and the writes of them that are under way. */
export function createIdentity({ auth, logger }: SessionContext) {
  let creds: AuthenticationCreds | undefined
  /** A read of the stored one that is still under way is outdated when this rises. */
  let changes = 0
  const saving = new Set<Promise<void>>()

  function saved(work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => logger.error({ err }, 'the credentials of a sender could not be stored'))
      .finally(() => saving.delete(settled))
    saving.add(settled)
  }

  return {
    /** Undefined while there is none. */
    creds: (): AuthenticationCreds | undefined => creds,
    /** True if it came or went since the start of the program. */
    isChanged: (): boolean => changes > 0,
    /** A phone has vouched for a new one. */
    take(own: AuthenticationCreds, store: () => Promise<void>): void {
      changes += 1
      creds = own
      saved(store())
    },
    /** It is worth nothing any more. */
    forget(): void {
      changes += 1
      creds = undefined
      saved(auth.wipe())
    },
    save: (own: AuthenticationCreds): void => saved(auth.save(own)),
    /** It was good enough to log in. */
    saveGood: (own: AuthenticationCreds): void => saved(auth.saveGood(own)),
    /** Reads the stored one. @throws StorageError: what is stored cannot be read now */
    async read(): Promise<'there' | 'missing' | 'unreadable'> {
      try {
        const before = changes
        const found = await auth.load()
        if (changes === before) creds = found
        return creds === undefined ? 'missing' : 'there'
      } catch (err) {
        logger.error({ err }, 'the stored session of a sender could not be read')
        if (err instanceof SessionUnreadable) return 'unreadable'
        throw err
      }
    },
    /** Resolves when nothing is under way. */
    stored: async (): Promise<void> => void (await Promise.all(saving)),
  }
}

const LEAVE_WITHIN = 30 * SECOND

/**
 * Links whose place a new one has taken stay in the phone's list until they remove themselves, and
 * a phone takes only four. Each gets one short connection with its own credentials for that,
 * whatever comes of it.
 */
export function createFormerIdentities({ auth, socket, versions, clock, logger }: SessionContext) {
  const leaving = new Set<() => void>()
  let running: Promise<void> | undefined
  let isStopped = false

  async function leave(creds: AuthenticationCreds): Promise<void> {
    const over = Promise.withResolvers<void>()
    const config = {
      auth: { creds, keys: keysInMemory() },
      version: versions.current(),
      browser: browserOf(false),
      ...quietConfig(socket),
    }
    const sock = makeSocket(config, () => over.resolve())
    // Messages that wait for it are for the link that took its place.
    for (const name of ['CB:message', 'CB:receipt', 'CB:notification', 'CB:call']) sock.ws.removeAllListeners(name)
    leaving.add(over.resolve)
    const cancel = clock.after(LEAVE_WITHIN, over.resolve)
    sock.ev.on('connection.update', ({ connection }) => {
      if (connection === 'close') over.resolve()
      if (connection !== 'open') return
      askToForget(sock)
        .catch((err: unknown) => logger.warn({ err }, 'an earlier link could not be taken off the phone'))
        .finally(over.resolve)
    })
    await over.promise
    cancel()
    leaving.delete(over.resolve)
    await sock.end(undefined).catch(() => undefined)
    terminate(sock)
  }

  async function leaveAll(): Promise<void> {
    for (const { id, value } of await auth.notes('former-identity')) {
      if (isStopped) return
      await leave(value as AuthenticationCreds)
      if (!isStopped) await auth.note('former-identity', id, null)
    }
  }

  return {
    /** The link that took their place is connected. */
    onUp(): void {
      running ??= leaveAll()
        .catch((err: unknown) => logger.warn({ err }, 'an earlier link could not be taken off the phone'))
        .finally(() => {
          running = undefined
        })
    },
    async stop(): Promise<void> {
      isStopped = true
      for (const end of leaving) end()
      await running
    },
  }
}

/** Nothing that such a connection agrees on is used again. */
function keysInMemory(): SignalKeyStore {
  const kept = new Map<string, unknown>()
  return {
    get: async (type, ids) => Object.fromEntries(ids.map((id) => [id, kept.get(`${type}/${id}`)])) as never,
    async set(data: SignalDataSet) {
      for (const [type, byId] of Object.entries(data)) {
        for (const [id, value] of Object.entries(byId)) kept.set(`${type}/${id}`, value)
      }
    },
  }
}
