import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys'
import { SECOND } from '../../../lib/time.ts'
import { makeSocket } from '../library/library-socket.ts'
import { askToForget } from '../library/questions.ts'
import type { SessionContext } from './dial.ts'
import { terminate } from './socket.ts'
import { browserOf, quietConfig } from './socket-config.ts'

const AT_MOST = 30 * SECOND

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
    const cancel = clock.after(AT_MOST, over.resolve)
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
