import type { ApiKeys } from '../access/keys.ts'
import type { Diagnostics } from '../contract/diagnostics.ts'
import type { Alarms } from '../health/alarm.ts'
import type { ReadHealth } from '../health/health.ts'
import type { ReadOverview } from '../health/overview.ts'
import type { Logger } from '../lib/logger.ts'
import type { Prover } from '../lib/proof.ts'
import type { Uploads } from '../media/uploads.ts'
import type { PrepareMessage, QueueMessage } from '../messages/accept.ts'
import type { MessageActions } from '../messages/actions.ts'
import type { Attach } from '../messages/attach.ts'
import type { BulkActions } from '../messages/bulk.ts'
import type { MessageRows } from '../messages/rows.ts'
import type { AllPaused } from '../senders/all-paused.ts'
import type { TemplatesPort } from '../senders/official.ts'
import type { OptOuts } from '../senders/opt-outs.ts'
import type { SenderService } from '../senders/service.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Store } from '../store/index.ts'
import type { Callbacks } from '../webhooks/index.ts'
import { renderDocs } from './docs-page.ts'
import { createFormReader, createFormRooms } from './form.ts'
import type { Idempotency } from './idempotency.ts'
import type { createMetrics } from './metrics.ts'
import { createOpenApi } from './openapi.ts'
import type { RefusedCalls } from './refused-calls.ts'
import type { Route } from './route.ts'
import { alarmRoutes } from './routes/alarms.ts'
import { type BackupRouteDeps, backupRoutes } from './routes/backup.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { compatRoutes } from './routes/compat.ts'
import { customerRoutes } from './routes/customers.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { diagnosticsRoutes } from './routes/diagnostics.ts'
import { docsRoutes } from './routes/docs.ts'
import { eventRoutes } from './routes/events.ts'
import { fileRoutes } from './routes/files.ts'
import { healthRoutes } from './routes/health.ts'
import { keyRoutes } from './routes/keys.ts'
import { messageRoutes } from './routes/messages.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { officialRoutes } from './routes/official.ts'
import { overviewRoutes } from './routes/overview.ts'
import { pricingRoutes } from './routes/pricing.ts'
import { proofRoutes } from './routes/proof.ts'
import { refusedCallRoutes } from './routes/refused-calls.ts'
import { secondRoadRoutes } from './routes/second-road.ts'
import { sendRoutes } from './routes/send.ts'
import { senderRoutes } from './routes/senders.ts'
import { type SessionRouteDeps, sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'
import { summaryRoutes } from './routes/summary.ts'
import { suppressionRoutes } from './routes/suppressions.ts'
import { templateRoutes } from './routes/templates.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import type { Stream } from './stream.ts'

export interface RoutesDeps {
  store: Pick<Store, 'senders' | 'messages' | 'events' | 'deliveries' | 'contacts' | 'pricingCounts'> &
    Pick<Store, 'tallies'>
  rows: MessageRows
  prepareMessage: PrepareMessage
  attach: Attach
  uploads: Uploads
  optOuts: OptOuts
  now: () => number
  random: () => number
  logger: Logger
  queueMessage: QueueMessage
  actions: MessageActions
  bulk: BulkActions
  alarms: Alarms
  idempotency: Idempotency
  senders: SenderService
  allPaused: AllPaused
  templates: TemplatesPort
  keys: ApiKeys
  access: SessionRouteDeps
  refusedCalls: Pick<RefusedCalls, 'list' | 'notKept'>
  prover: Pick<Prover, 'greet'>
  settings: SettingsService
  callbacks: Pick<Callbacks, 'endpoints' | 'deliveries'>
  backup: BackupRouteDeps
  readHealth: ReadHealth
  readOverview: ReadOverview
  readDiagnostics: () => Promise<Diagnostics>
  stream: Stream
  metrics: Pick<ReturnType<typeof createMetrics>, 'registry'>
  /** Of the nodes that share a database. */
  nodeRoutes: readonly Route[]
  /** The name of this one; null: there are none. */
  node: string | null
  version: string
  /** The data folder. */
  home: string
  /** Where this run listens. */
  addresses: () => { api: string; lan: string[]; webhook: string }
}

/** All routes, in the order of the documentation. */
export function createRoutes(deps: RoutesDeps): Route[] {
  const {
    store,
    prepareMessage,
    attach,
    uploads,
    queueMessage,
    idempotency,
    templates,
    callbacks,
    allPaused,
    version,
  } = deps

  function facts() {
    const { api, lan, webhook } = deps.addresses()
    return {
      version,
      home: deps.home,
      api_url: api,
      lan_urls: lan,
      files_bytes: uploads.used(),
      node: deps.node,
      webhook_url: webhook,
    }
  }

  const rooms = createFormRooms()
  const routes: Route[] = [
    ...sendRoutes({
      senders: store.senders,
      prepareMessage,
      queueMessage,
      idempotency,
      attach,
      readForm: createFormReader(uploads, { urlEncoded: false, rooms }),
    }),
    ...fileRoutes(uploads, rooms),
    ...compatRoutes({
      senders: store.senders,
      contacts: store.contacts,
      prepareMessage,
      queueMessage,
      attach,
      readForm: createFormReader(uploads, { urlEncoded: true, rooms }),
      isOn: () => deps.settings.get().compat_fonnte,
      random: deps.random,
      now: deps.now,
      logger: deps.logger,
    }),
    ...templateRoutes({ templates, idempotency, service: deps.senders, senders: store.senders }),
    ...messageRoutes({
      messages: store.messages,
      rows: deps.rows,
      senders: store.senders,
      settings: deps.settings,
      events: store.events,
      deliveries: store.deliveries,
      actions: deps.actions,
    }),
    ...bulkRoutes({ bulk: deps.bulk, senders: store.senders }),
    ...customerRoutes({ ...store, settings: deps.settings }),
    ...summaryRoutes(store),
    ...senderRoutes({ service: deps.senders, senders: store.senders, allPaused, templates }),
    ...officialRoutes({ service: deps.senders, official: templates }),
    ...secondRoadRoutes({ service: deps.senders, official: templates }),
    ...pricingRoutes({ counts: store.pricingCounts, senders: store.senders, now: deps.now }),
    ...keyRoutes(deps.keys),
    ...sessionRoutes(deps.access),
    ...proofRoutes(deps.prover),
    ...webhookRoutes(callbacks),
    ...deliveryRoutes(callbacks.deliveries),
    ...suppressionRoutes({ optOuts: deps.optOuts, senders: store.senders, now: deps.now }),
    ...settingsRoutes({ settings: deps.settings, facts }),
    ...alarmRoutes(deps.alarms),
    ...backupRoutes(deps.backup),
    ...diagnosticsRoutes(deps.readDiagnostics),
    ...healthRoutes(deps.readHealth),
    ...overviewRoutes(deps.readOverview),
    ...refusedCallRoutes(deps.refusedCalls),
    ...deps.nodeRoutes,
    ...eventRoutes({ stream: deps.stream, ...deps.access }),
    ...metricsRoutes(deps.metrics.registry),
    ...docsRoutes({ openapi: () => describe().openapi, docsPage: () => describe().docsPage }),
  ]
  // Made once, as bytes, for anybody may ask for them as often as they like; only when first asked for: it takes as long as
  // a tenth of the start.
  let made: Record<'openapi' | 'docsPage', Buffer> | undefined
  function describe() {
    if (made !== undefined) return made
    const description = createOpenApi(routes, version)
    made = { openapi: Buffer.from(JSON.stringify(description)), docsPage: Buffer.from(renderDocs(description)) }
    return made
  }
  return routes
}
