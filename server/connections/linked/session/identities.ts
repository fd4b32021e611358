import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys'
import { SECOND } from '../../../lib/clock.ts'
import { SessionUnreadable } from '../keys/auth-state.ts'
import { makeSocket } from '../library/library-socket.ts'
import { askToForget } from '../library/questions.ts'
import type { SessionContext } from './dial.ts'
import { terminate } from './socket.ts'
import { browserOf, quietConfig } from './socket-config.ts'

/** Holds the credentials that a session connects with, and tracks their writes. */
export function createIdentity({ auth, logger }: SessionContext) {
  let creds: AuthenticationCreds | undefined
  /** Counts changes, so that a read that is still under way learns that its result is outdated. */
  let changes = 0
  const saving = new Set<Promise<void>>()

  function saved(work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => logger.error({ err }, 'the credentials of a sender could not be stored'))
      .finally(() => saving.delete(settled))
    saving.add(settled)
  }

  return {
    creds: (): AuthenticationCreds | undefined => creds,
    /** True if an identity was taken or forgotten since the start of the program. */
    isChanged: (): boolean => changes > 0,
    /** Takes a new identity that a phone has vouched for. */
    take(own: AuthenticationCreds, store: () => Promise<void>): void {
      changes += 1
      creds = own
      saved(store())
    },
    /** Wipes the identity from disk too, because it is worthless. */
    forget(): void {
      changes += 1
      creds = undefined
      saved(auth.wipe())
    },
    save: (own: AuthenticationCreds): void => saved(auth.save(own)),
    /** Saves credentials that were good enough to log in. */
    saveGood: (own: AuthenticationCreds): void => saved(auth.saveGood(own)),
    /**
     * Reads the stored identity.
     * @throws StorageError if it cannot be read at present
     */
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
    /** Resolves when all writes are done. */
    stored: async (): Promise<void> => void (await Promise.all(saving)),
  }
}

const LEAVE_WITHIN = 30 * SECOND

/**
 * Takes replaced links off the phone's list: a phone allows only four, and a link stays in the list
 * until it removes itself. Each replaced link gets one short connection with its own credentials,
 * and is then forgotten even if the removal failed.
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
    // Messages that wait are for the link that replaced this one.
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
    /** Call when the new link is connected. */
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

/** Returns a key store in memory, because no key of such a connection is used again. */
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
