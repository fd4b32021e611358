import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { buildConnector } from 'undici'
import { createFailureLimit } from './access/failures.ts'
import { createKeyAccess } from './access/keys.ts'
import { createSenderStates } from './access/sender-states.ts'
import { createSenderService } from './access/senders.ts'
import { createSettings } from './access/settings.ts'
import { type AttachmentDeps, createAttachments } from './attachments.ts'
import type { Config } from './config.ts'
import { loadVaultKey, ownerToken, prepareHome } from './home.ts'
import { createAuthentication } from './http/auth.ts'
import { ownAddresses } from './http/hosts.ts'
import { createOnce } from './http/idempotency.ts'
import { createMetrics } from './http/metrics.ts'
import { createPages } from './http/pages.ts'
import { createRoutes } from './http/routes.ts'
import { createApi, listen, shut } from './http/server.ts'
import { createStream } from './http/stream.ts'
import { createBus } from './lib/bus.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createDisposer } from './lib/disposer.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import { createGuardedDispatcher, type Resolve, systemResolve } from './lib/net-guard.ts'
import { createUuid7 } from './lib/uuid7.ts'
import { createVault } from './lib/vault.ts'
import { mediaPolicy } from './media/allowed-hosts.ts'
import { createMediaFetcher } from './media/fetch.ts'
import { createMediaDesk } from './media/prefetch.ts'
import { createAccept } from './messages/accept.ts'
import { createLanes } from './messages/lanes.ts'
import { RETRY, type RetryPolicy } from './messages/outcome.ts'
import { createActs } from './messages/owner-acts.ts'
import { createRecorder } from './messages/record.ts'
import { newWhatsAppId } from './messages/whatsapp-id.ts'
import { openStore } from './store/store.ts'
import { startUpkeep } from './upkeep.ts'
import { VERSION } from './version.ts'
import { createCallbackDesk } from './webhooks/desk.ts'
import { callbackPolicy, refuseTarget } from './webhooks/target.ts'

const FINISH_WITHIN = 10_000

/** What tests hand in: time, chance, the way out to the network. */
export interface Overrides {
  clock?: Clock
  random?: () => number
  logger?: Logger
  /** 32 bytes; the desktop's shell keeps them. Without it a key file is used. */
  vaultKey?: Buffer
  retry?: RetryPolicy
  /** How long a write that holds nobody up waits for others; 0 where time is moved by hand. */
  soonMs?: number
  resolve?: Resolve
  connect?: buildConnector.connector
  linked?: AttachmentDeps['linked']
  /** Gets the open main database. */
  opened?: Parameters<typeof openStore>[3]
  /** Where the built pages are. */
  pages?: string
}

export type App = Awaited<ReturnType<typeof createApp>>

/** The composition root: everything is made here, once, and handed to whoever needs it. @throws Error in words for the owner */
export async function createApp(config: Config, overrides: Overrides = {}) {
  const clock = overrides.clock ?? systemClock
  const random = overrides.random ?? Math.random
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const { home } = config
  const disposer = createDisposer()
  const bus = createBus()
  let stopping = false

  prepareHome(home)
  const store = await openStore(home, clock.now, overrides.soonMs, overrides.opened)
  disposer.defer('store', store.close)
  try {
    const vault = createVault(overrides.vaultKey ?? loadVaultKey(home))
    const settings = createSettings(store.settings, bus)
    const newId = createUuid7(clock.now, store.messages.newestId())
    const record = createRecorder({ messages: store.messages, bus })
    const ports = { api: 0, webhook: 0 }

    const resolve = overrides.resolve ?? systemResolve
    const network = overrides.connect === undefined ? { resolve } : { resolve, connect: overrides.connect }
    const mediaDispatcher = createGuardedDispatcher({
      ...network,
      policy: () => mediaPolicy(settings.get().media_allowed_hosts),
    })
    const media = createMediaDesk({
      folder: join(home, 'media'),
      fetchMedia: createMediaFetcher({ dispatcher: mediaDispatcher, clock }),
      clock,
    })
    disposer.defer('media connections', () => mediaDispatcher.destroy())
    disposer.defer('media', media.close)
    await media.sweep((id) => store.messages.find({ id })?.nextAt != null)

    const targets = callbackPolicy({ ports: () => Object.values(ports), addresses: ownAddresses })
    const callbacks = createCallbackDesk({
      store,
      vault,
      dispatcher: createGuardedDispatcher({ ...network, policy: () => targets }),
      refuseTarget: (url) => refuseTarget(url, targets, resolve),
      version: VERSION,
      bus,
      clock,
      random,
      logger,
    })
    disposer.defer('callbacks', callbacks.stop)

    const states = createSenderStates({ senders: store.senders, events: store.events, bus, clock, logger })
    disposer.defer('sender states', states.close)
    const lanes = createLanes({
      ...{ messages: store.messages, lanes: store.lanes, senderOf: store.senders.get },
      ...{ record, media, newWhatsAppId, bus, clock, random, logger },
      retry: overrides.retry ?? RETRY,
    })
    await lanes.recover()
    const attachments = createAttachments({
      ...{ store, states, record, lanes, vault, config, bus, clock, random, logger },
      linked: overrides.linked ?? {},
    })
    disposer.defer('channels', attachments.stop)
    disposer.defer('lanes', () => lanes.stop(FINISH_WITHIN))

    const acts = createActs({ messages: store.messages, record, release: media.release, bus, newId, now: clock.now })
    const senders = createSenderService({
      senders: store.senders,
      laneState: store.lanes.get,
      waiting: store.messages.waiting,
      attached: attachments.get,
      attach: attachments.attach,
      detach: attachments.detach,
      failWaiting: acts.failWaiting,
      official: attachments.official,
      bus,
      clock,
    })
    await senders.ensureSandbox()
    attachments.attachAll()

    const keys = createKeyAccess({
      keys: store.keys,
      senderIdOf: (code) => senders.get(code).id,
      codeOf: store.senders.codeOf,
      newId,
      clock,
      logger,
    })
    disposer.defer('keys', keys.close)
    const upkeep = startUpkeep({ store, settings: settings.get, bus, clock, logger })
    disposer.defer('upkeep', upkeep.stop)
    const metrics = createMetrics(store, bus)
    disposer.defer('metrics', metrics.stop)
    const stream = createStream(store, bus, clock)

    const token = ownerToken(home, config.ownerToken)
    const { authenticate, checkLink } = createAuthentication({
      keys,
      failures: createFailureLimit(clock.now),
      ownerToken: token,
      remoteAdministration: () => settings.get().remote_administration,
    })
    const host = config.host ?? settings.get().host
    const routes = createRoutes({
      ...{ store, senders, keys, settings, callbacks, acts, stream, metrics, bus, clock },
      accept: createAccept({ messages: store.messages, bus, newId, now: clock.now }),
      once: createOnce({ store: store.idempotency, now: clock.now }),
      version: VERSION,
      home,
      freeBytes: () => freeBytes(home),
      addresses: () => ({ host, ports }),
    })
    const api = createApi({
      routes,
      authenticate,
      pages: createPages(overrides.pages ?? join(import.meta.dirname, '../renderer'), checkLink),
      allowedHosts: () => settings.get().allowed_hosts,
      corsOrigins: () => settings.get().cors_origins,
      remoteAdministration: () => settings.get().remote_administration,
      stopping: () => stopping,
      logger,
    })

    return {
      ownerToken: token,
      logger,
      /** The address for programs on this PC; known after `start`. */
      apiUrl: () => `http://127.0.0.1:${ports.api}`,
      store,
      bus,
      async start(): Promise<void> {
        const wanted = config.port ?? settings.get().port
        const { server, port } = await listen(api, host, wanted, 'KURIR_PORT').catch(async (error: unknown) => {
          await disposer.close()
          throw error
        })
        ports.api = port
        disposer.defer('api', async () => {
          stopping = true
          stream.close()
          await shut(server, FINISH_WITHIN)
        })
        logger.info({ host, port, version: VERSION }, 'ready')
      },
      /** After the PC slept: sockets are dead without knowing it. */
      suspend: attachments.suspendAll,
      wakeUp: attachments.resumeAll,
      setPaused: async (paused: boolean): Promise<void> => {
        for (const { code } of store.senders.list()) await (paused ? senders.pause(code) : senders.resume(code))
      },
      close: disposer.close,
    }
  } catch (error) {
    await disposer.close()
    throw error
  }
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // Some network drives do not tell.
    return null
  }
}
