import type { Access } from '../access/keys.ts'
import type { MakeBackup } from '../backup/backup.ts'
import type { StageRestore } from '../backup/restore.ts'
import type { OfficialChannel } from '../connections/official/desk.ts'
import type { Diagnostics } from '../contract/operation.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Accept } from '../messages/accept.ts'
import type { createActs } from '../messages/actions.ts'
import type { SenderService } from '../senders/service.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Store } from '../store/index.ts'
import type { Callbacks } from '../webhooks/index.ts'
import { renderDocs } from './docs-page.ts'
import { ownAddresses } from './hosts.ts'
import type { Once } from './idempotency.ts'
import type { createMetrics } from './metrics.ts'
import { createOpenApi } from './openapi.ts'
import type { Route } from './route.ts'
import { backupRoutes } from './routes/backup.ts'
import { diagnosticsRoutes } from './routes/diagnostics.ts'
import { eventRoutes } from './routes/events.ts'
import { exportRoutes } from './routes/export.ts'
import { healthRoutes } from './routes/health.ts'
import { keyRoutes } from './routes/keys.ts'
import { messageRoutes } from './routes/messages.ts'
import { operationRoutes } from './routes/operation.ts'
import { sendRoutes } from './routes/send.ts'
import { senderRoutes } from './routes/senders.ts'
import { settingsRoutes } from './routes/settings.ts'
import { templateRoutes } from './routes/templates.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import type { Stream } from './stream.ts'

export interface RoutesDeps {
  store: Store
  accept: Accept
  once: Once
  senders: SenderService
  keys: Access
  official: OfficialChannel
  settings: SettingsService
  callbacks: Callbacks
  acts: ReturnType<typeof createActs>
  stream: Stream
  metrics: ReturnType<typeof createMetrics>
  version: string
  startedAt: number
  home: string
  freeBytes: () => number | null
  warnings: () => string[]
  diagnostics: () => Diagnostics
  makeBackup: MakeBackup
  stageRestore: StageRestore
  restart: (() => void) | undefined
  /** Where this run listens. */
  addresses: () => { host: string; ports: { api: number; webhook: number } }
  bus: Bus
  clock: Clock
}

/** All routes, in the order of the documentation. */
export function createRoutes(deps: RoutesDeps): Route[] {
  const { store, callbacks, clock, version } = deps

  function facts() {
    const { host, ports } = deps.addresses()
    return {
      version,
      home: deps.home,
      api_url: `http://localhost:${ports.api}`,
      lan_urls:
        host === '127.0.0.1'
          ? []
          : ownAddresses()
              .filter((ip) => !ip.includes(':'))
              .map((ip) => `http://${ip}:${ports.api}`),
      webhook_url: `http://127.0.0.1:${ports.webhook}/waba/webhook`,
    }
  }

  const routes: Route[] = [
    ...sendRoutes({ accept: deps.accept, once: deps.once, senders: store.senders }),
    ...templateRoutes({ official: deps.official, once: deps.once, service: deps.senders, senders: store.senders }),
    // Before the route of one message, whose id could be anything.
    ...exportRoutes(store),
    ...messageRoutes({ store, cancel: deps.acts.cancel, retry: deps.acts.retry }),
    ...senderRoutes(deps.senders, store.senders),
    ...keyRoutes(deps.keys),
    ...webhookRoutes({
      webhooks: callbacks.webhooks,
      deliveries: store.deliveries,
      deliverer: callbacks.deliverer,
      callbackOf: callbacks.callbackOf,
      addTest: callbacks.addTest,
      bus: deps.bus,
      now: clock.now,
    }),
    ...settingsRoutes({ settings: deps.settings, facts }),
    ...backupRoutes(deps),
    ...diagnosticsRoutes(deps.diagnostics),
    ...healthRoutes(deps),
    ...eventRoutes(deps.stream),
    ...operationRoutes({
      registry: deps.metrics.registry,
      openapi: () => openapi,
      docsPage: () => renderDocs(openapi),
    }),
  ]
  const openapi = createOpenApi(routes, version)
  return routes
}
