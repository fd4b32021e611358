import { join } from 'node:path'
import { createFailureLimit } from './access/failed-logins.ts'
import { createKeyAccess } from './access/keys.ts'
import { createBackups } from './backup/backup.ts'
import { createRestore } from './backup/restore.ts'
import type { Config } from './config.ts'
import { createConnections } from './connections/index.ts'
import { createOfficialChannel } from './connections/official/desk.ts'
import { WEBHOOK_PATH } from './connections/official/listener.ts'
import { openDataVault } from './data-folder/data-key.ts'
import { freeBytes } from './data-folder/disk.ts'
import { emptyTemporaryFolder, ownerToken, prepareHome, tellAddress, temporaryFolder } from './data-folder/folder.ts'
import { findConcerns } from './health/concerns.ts'
import { readDiagnostics } from './health/diagnostics.ts'
import { findWarnings } from './health/warnings.ts'
import { createAuthentication } from './http/auth.ts'
import { ownAddresses } from './http/hosts.ts'
import { createOnce } from './http/idempotency.ts'
import { openListener } from './http/listen.ts'
import { createMetrics } from './http/metrics.ts'
import { createPages } from './http/pages.ts'
import { createRoutes } from './http/routes.ts'
import { createApi } from './http/server.ts'
import { createStream } from './http/stream.ts'
import { createBus } from './lib/bus.ts'
import { systemClock } from './lib/clock.ts'
import { createDisposer } from './lib/disposer.ts'
import { createLogger } from './lib/logger.ts'
import { createGuardedDispatcher, systemResolve } from './lib/net-guard.ts'
import { createUuid7 } from './lib/uuid7.ts'
import { createMediaService } from './media/service.ts'
import { createAccept } from './messages/accept.ts'
import { createActs } from './messages/actions.ts'
import { createLanes } from './messages/lanes.ts'
import { RETRY } from './messages/outcome.ts'
import { createRecorder } from './messages/record.ts'
import { newWhatsAppId } from './messages/whatsapp-id.ts'
import type { Overrides } from './overrides.ts'
import { createSenderService } from './senders/service.ts'
import { createSenderStates } from './senders/states.ts'
import { createSettings } from './settings/settings.ts'
import { openStore } from './store/index.ts'
import { DATA_KEY } from './store/sqlite/settings.ts'
import { startUpkeep } from './store/upkeep.ts'
import { VERSION } from './version.ts'
import { createCallbacks } from './webhooks/index.ts'
import { callbackPolicy, refuseTarget } from './webhooks/target.ts'

const FINISH_WITHIN = 10_000

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
    emptyTemporaryFolder(home)
    const secrets = await openDataVault({
      home,
      shellKey: overrides.vaultKey,
      stored: {
        read: () => store.settings.all()[DATA_KEY] as string | undefined,
        save: (sealed) => store.settings.save({ [DATA_KEY]: sealed }),
      },
    })
    const { vault } = secrets
    const settings = createSettings(store.settings, bus)
    const newId = createUuid7(clock.now, store.messages.newestId())
    const record = createRecorder({ messages: store.messages, bus })
    const ports = { api: 0, webhook: 0 }

    const resolve = overrides.resolve ?? systemResolve
    const network = overrides.connect === undefined ? { resolve } : { resolve, connect: overrides.connect }
    const allowedHosts = () => settings.get().media_allowed_hosts
    const media = createMediaService({ home, allowedHosts, network, clock })
    disposer.defer('media', media.close)
    await media.sweep((id) => store.messages.find({ id })?.nextAt != null)

    const targets = callbackPolicy({ ports: () => Object.values(ports), addresses: ownAddresses })
    const callbacks = createCallbacks({
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
    const connections = createConnections({
      ...{ store, states, record, lanes, vault, whatsapp: config.whatsapp, bus, clock, random, logger },
      linked: overrides.linked ?? {},
    })
    disposer.defer('connections', connections.stop)
    disposer.defer('lanes', () => lanes.stop(FINISH_WITHIN))

    const official = createOfficialChannel({
      ...{ store, vault, graph: config.graph, record, reportState: states.report, newId, bus, clock, logger },
      sandboxPost: connections.sandboxPost,
      publicUrl: () => settings.get().public_webhook_url,
      // The owner's own address may be anywhere.
      dispatcher: createGuardedDispatcher({ ...network, policy: () => () => null }),
    })
    disposer.defer('official senders', () => official.stop(FINISH_WITHIN))

    const acts = createActs({ messages: store.messages, record, release: media.release, bus, newId, now: clock.now })
    const senders = createSenderService({
      senders: store.senders,
      laneState: store.lanes.get,
      waiting: store.messages.waiting,
      connection: connections.get,
      connect: connections.start,
      disconnect: connections.end,
      failWaiting: acts.failWaiting,
      official: official.desk,
      bus,
      clock,
    })
    await senders.ensureSandbox()
    connections.startAll()

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
    const disk = () => freeBytes(home)
    const warnings = () => [
      ...findWarnings({ settings: settings.get(), host, freeBytes: disk() }),
      ...official.warnings(),
    ]
    const about = { version: VERSION, startedAt: clock.now(), clock, freeBytes: disk, warnings }
    const routes = createRoutes({
      ...{ store, senders, official, keys, settings, callbacks, acts, stream, metrics, bus, clock },
      accept: createAccept({ messages: store.messages, bus, newId, now: clock.now }),
      once: createOnce({ store: store.idempotency, now: clock.now }),
      ...about,
      home,
      makeBackup: createBackups({
        ...{ store, temporaryFolder: temporaryFolder(home), dataKey: secrets.dataKey, version: VERSION, clock },
      }),
      stageRestore: createRestore({ home, sealDataKey: secrets.sealDataKey }),
      restart: overrides.restart,
      diagnostics: () => readDiagnostics({ ...about, store, settings: settings.get, logLines: logger.newestLines }),
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
      /** Where a tunnel leads. */
      webhookUrl: () => `http://127.0.0.1:${ports.webhook}${WEBHOOK_PATH}`,
      store,
      bus,
      /** A start that fails leaves nothing open. @throws Error in words for the owner */
      async start(): Promise<void> {
        try {
          await official.start()
          const { port, webhook_port } = settings.get()
          const meta = { app: official.listener, host: '127.0.0.1', variable: 'KURIR_WEBHOOK_PORT' }
          ports.webhook = await openListener({ ...meta, port: config.webhookPort ?? webhook_port }, disposer)
          const door = { app: api, host, variable: 'KURIR_PORT' }
          ports.api = await openListener({ ...door, port: config.port ?? port }, disposer)
        } catch (error) {
          await disposer.close()
          throw error
        }
        disposer.defer('address', tellAddress(home, `http://127.0.0.1:${ports.api}`))
        disposer.defer('streams', () => {
          stopping = true
          stream.close()
        })
        logger.info({ host, port: ports.api, version: VERSION }, 'ready')
      },
      /** What the desktop's shell shows near the clock. */
      ownerView: {
        concerns: () => findConcerns({ store, states, freeBytes: disk }),
        language: () => settings.get().language,
        paused: () => store.senders.list().every((sender) => sender.paused),
      },
      suspend(): void {
        lanes.hold()
        connections.suspendAll()
      },
      /** After the PC slept: sockets are dead without knowing it, and messages fell due. */
      wakeUp(): void {
        connections.resumeAll()
        lanes.release()
      },
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
