import { LISTENER_LIMITS } from '../connections/official/inbox/listener.ts'
import type { WindowLink } from '../contract/access.ts'
import type { Attention } from '../contract/desktop.ts'
import { watchAttention } from '../health/attention.ts'
import { openListener } from '../http/listen.ts'
import type { Bus } from '../lib/bus.ts'
import { createDisposer } from '../lib/disposer.ts'
import type { RootLogger } from '../lib/logger.ts'
import { VERSION } from '../lib/program.ts'
import { areAllPaused } from '../messages/gates.ts'
import type { Config } from '../settings/config.ts'
import { writeAddress } from '../settings/data-folder.ts'
import type { Store } from '../store/index.ts'
import { type ApiSide, createApiSide } from './api.ts'
import { type Core, createCore, type Overrides } from './core.ts'
import { createCallbackSide, createSending, type Sending } from './sending.ts'
import { createCallbackFormats } from './slices.ts'

export interface App {
  /** Token for programs on this PC that act for the owner. */
  ownerToken: string
  logger: RootLogger
  store: Store
  bus: Bus
  /** Returns the address for programs on this PC; valid after `start`. */
  apiUrl(): string
  /** Creates a link that opens the window once, within 10 minutes. */
  newWindowLink(): WindowLink
  /** Returns the address to which a tunnel for Meta's callbacks must lead. */
  webhookUrl(): string
  /** Begins to listen; leaves nothing open on failure. @throws Error, a sentence for the owner */
  start(): Promise<void>
  /** Sends the alarms now and after each change. Returns a function that ends this. */
  watchAttention(send: (attention: Attention) => void): () => void
  /** Must be called before the PC sleeps. */
  suspend(): void
  /** Must be called after the PC slept, because sockets are dead and messages may be due. */
  resume(): void
  setAllPaused(on: boolean): Promise<void>
  /** Notes the version that is installed when the program quits. */
  updateReady(version: string): void
  close(): Promise<void>
}

/**
 * Creates every part of the program, once, and passes each its dependencies (composition root).
 * @throws Error, a sentence for the owner
 */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const disposer = createDisposer()
  try {
    const core = await createCore(config, overrides, disposer)
    const callbacks = createCallbackSide(core, createCallbackFormats(core))
    const sending = await createSending(core)
    const api = createApiSide(core, sending, callbacks)
    return createControls(core, sending, api)
  } catch (error) {
    await disposer.close()
    throw error
  }
}

/** Creates the controls that the surrounding process has over the program. */
function createControls(
  core: Core,
  sending: Sending,
  { api, host, instance, newWindowLink, urls, stream, refuseCalls, concerns, setAllPaused }: ApiSide,
): App {
  const { config, store, settings, bus, clock, logger, ports, disposer } = core
  const { lanes, connections, official } = sending

  async function listen(): Promise<void> {
    await official.start()
    const { port, webhook_port } = settings.get()
    ports.webhook = await openListener(
      {
        app: official.listener,
        host: config.webhookHost,
        port: config.webhookPort ?? webhook_port,
        variable: 'KURIR_WEBHOOK_PORT',
        limits: LISTENER_LIMITS,
      },
      disposer,
    )
    ports.api = await openListener({ app: api, host, port: config.port ?? port, variable: 'KURIR_PORT' }, disposer)
  }

  const apiUrl = () => urls().api
  return {
    ownerToken: instance.token,
    newWindowLink,
    logger,
    store,
    bus,
    apiUrl,
    webhookUrl: () => urls().webhook,
    async start() {
      try {
        await listen()
      } catch (error) {
        await disposer.close()
        throw error
      }
      disposer.defer('address', writeAddress(config.home, { url: apiUrl(), instance: instance.id }))
      // Deferred last, so that it closes first: listeners wait for running calls, and a stream
      // would never end.
      disposer.defer('streams', () => {
        refuseCalls()
        return stream.close()
      })
      logger.info({ host, port: ports.api, version: VERSION }, 'ready')
    },
    watchAttention(send) {
      const view = { concerns, language: () => settings.get().language, paused: () => areAllPaused(store) }
      return watchAttention(view, bus, clock, logger, send)
    },
    suspend() {
      core.awake.lastSeen = clock.now()
      lanes.suspend()
      connections.suspendAll()
    },
    resume() {
      core.awake.since = clock.now()
      connections.resumeAll()
      lanes.resume()
    },
    setAllPaused,
    updateReady(version) {
      core.update.version = version
      bus.emit('update', {})
    },
    close: disposer.close,
  }
}
