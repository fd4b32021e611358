import type { SettingsView } from '../contract/settings.ts'
import type { HealthContext } from '../health/context.ts'
import { type createMetrics, metricsRoutes } from '../health/metrics.ts'
import { operationRoutes } from '../health/routes.ts'
import type { FormReader } from '../http/form.ts'
import type { Idempotency } from '../http/idempotency.ts'
import type { FormRooms } from '../http/multipart.ts'
import type { Route } from '../http/route.ts'
import { keyRoutes, proofRoutes, sessionRoutes } from '../http/routes/access.ts'
import { withDocs } from '../http/routes/docs.ts'
import { eventRoutes, type Stream } from '../http/routes/events.ts'
import { messageRoutes } from '../http/routes/messages.ts'
import { fileRoutes, sendRoutes } from '../http/routes/send.ts'
import { senderRoutes } from '../http/routes/senders.ts'
import { settingsRoutes } from '../http/routes/settings.ts'
import { summaryRoutes } from '../http/routes/summary.ts'
import { suppressionRoutes } from '../http/routes/suppressions.ts'
import { templateRoutes } from '../http/routes/templates.ts'
import { webhookRoutes } from '../http/routes/webhooks.ts'
import { VERSION } from '../lib/program.ts'
import type { DeliveryContext } from '../webhooks/deliveries.ts'
import type { createAccess, createAddresses } from './access.ts'
import type { Core } from './core.ts'
import type { Sending } from './sending.ts'
import type { Slice } from './slices.ts'

interface ApiParts {
  slices: readonly Slice[]
  access: ReturnType<typeof createAccess>
  health: HealthContext
  addresses: ReturnType<typeof createAddresses>
  stream: Stream
  metrics: ReturnType<typeof createMetrics>
  rooms: FormRooms
  readForm: FormReader
  idempotency: Idempotency
}

/** Returns all routes, in the order of the documentation. */
export function createRoutes(
  core: Core,
  sending: Sending,
  callbacks: DeliveryContext,
  { access, slices, health, addresses, stream, metrics, rooms, readForm, idempotency }: ApiParts,
): Route[] {
  const { deployment, config, overrides, store, settings } = core
  const { messaging, senders } = sending
  const { uploads } = sending.files
  const { sessions, authentication } = access

  function settingsView(): SettingsView {
    const { api, lan, webhook } = addresses.urls()
    return {
      ...settings.get(),
      version: VERSION,
      home: config.home,
      api_url: api,
      lan_urls: lan,
      files_bytes: uploads.used(),
      node: deployment.node,
      webhook_url: webhook,
      restart_needed: settings.restartNeeded(),
    }
  }

  return withDocs(VERSION, [
    ...sendRoutes(messaging, readForm, idempotency),
    ...fileRoutes(uploads, rooms),
    ...templateRoutes(senders, idempotency),
    ...messageRoutes(messaging, settings),
    ...summaryRoutes(store, settings),
    ...senderRoutes(senders),
    ...keyRoutes(access.keys),
    ...sessionRoutes(sessions, authentication, addresses.newWindowLink),
    ...proofRoutes(access.prover),
    ...webhookRoutes(callbacks),
    ...suppressionRoutes(messaging),
    ...settingsRoutes(settings, settingsView, overrides.restart),
    ...slices.flatMap(({ routes }) => routes),
    ...operationRoutes(health),
    ...deployment.routes,
    ...eventRoutes(stream, sessions, authentication),
    ...metricsRoutes(metrics.registry),
  ])
}
