import { createBackup } from '../backup/backup.ts'
import { createRestore } from '../backup/restore.ts'
import { ApiError } from '../contract/errors.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import type { BodyReader } from '../http/body.ts'
import { createFormReader, createFormRooms } from '../http/form.ts'
import { createIdempotency } from '../http/idempotency.ts'
import type { createMetrics } from '../http/metrics.ts'
import type { Route } from '../http/route.ts'
import { alarmRoutes } from '../http/routes/alarms.ts'
import { backupRoutes } from '../http/routes/backup.ts'
import { bulkRoutes } from '../http/routes/bulk.ts'
import { compatRoutes } from '../http/routes/compat.ts'
import { customerRoutes } from '../http/routes/customers.ts'
import { deliveryRoutes } from '../http/routes/deliveries.ts'
import { diagnosticsRoutes } from '../http/routes/diagnostics.ts'
import { withDocs } from '../http/routes/docs.ts'
import { eventRoutes } from '../http/routes/events.ts'
import { fileRoutes } from '../http/routes/files.ts'
import { healthRoutes } from '../http/routes/health.ts'
import { keyRoutes } from '../http/routes/keys.ts'
import { messageRoutes } from '../http/routes/messages.ts'
import { metricsRoutes } from '../http/routes/metrics.ts'
import { officialRoutes } from '../http/routes/official.ts'
import { overviewRoutes } from '../http/routes/overview.ts'
import { pricingRoutes } from '../http/routes/pricing.ts'
import { proofRoutes } from '../http/routes/proof.ts'
import { refusedCallRoutes } from '../http/routes/refused-calls.ts'
import { secondRoadRoutes } from '../http/routes/second-road.ts'
import { sendRoutes } from '../http/routes/send.ts'
import { senderRoutes } from '../http/routes/senders.ts'
import { sessionRoutes } from '../http/routes/sessions.ts'
import { settingsRoutes } from '../http/routes/settings.ts'
import { summaryRoutes } from '../http/routes/summary.ts'
import { suppressionRoutes } from '../http/routes/suppressions.ts'
import { templateRoutes } from '../http/routes/templates.ts'
import { webhookRoutes } from '../http/routes/webhooks.ts'
import type { Stream } from '../http/stream.ts'
import { COMMAND } from '../lib/command.ts'
import type { MessageRows } from '../messages/rows.ts'
import { VERSION } from '../version.ts'
import type { Callbacks } from '../webhooks/index.ts'
import type { createAccess } from './access.ts'
import type { createAddresses } from './addresses.ts'
import type { createAlarmSide } from './alarms.ts'
import type { Core } from './core.ts'
import type { createHealthSide } from './health.ts'
import type { Sending } from './sending.ts'

interface ApiParts {
  access: ReturnType<typeof createAccess>
  alarms: ReturnType<typeof createAlarmSide>
  reports: Pick<ReturnType<typeof createHealthSide>, 'readHealth' | 'readOverview' | 'readDiagnostics'>
  addresses: ReturnType<typeof createAddresses>
  rows: MessageRows
  stream: Stream
  metrics: ReturnType<typeof createMetrics>
  bodies: BodyReader
}

/** All routes, in the order of the documentation. */
export function createRoutes(
  core: Core,
  sending: Sending,
  callbacks: Callbacks,
  { access, alarms, reports, addresses, rows, stream, metrics, bodies }: ApiParts,
): Route[] {
  const { deployment, config, store, settings, dataKey, random, clock, logger } = core
  const { senders, messages } = store
  const { accepting, actions, allPaused, official } = sending
  const { attach, uploads } = sending.files
  const { now } = clock
  const service = sending.senders
  const idempotency = createIdempotency(store.idempotency, now)
  const rooms = createFormRooms(bodies)
  const logins = {
    sessions: access.sessions,
    authentication: access.authentication,
    newWindowLink: addresses.newWindowLink,
  }

  function facts() {
    const { api, lan, webhook } = addresses.addresses()
    return {
      version: VERSION,
      home: config.home,
      api_url: api,
      lan_urls: lan,
      files_bytes: uploads.used(),
      node: deployment.node,
      webhook_url: webhook,
    }
  }

  return withDocs(VERSION, [
    ...sendRoutes({
      senders,
      accepting,
      attach,
      idempotency,
      readForm: createFormReader(uploads, { urlEncoded: false, rooms }),
    }),
    ...fileRoutes(uploads, rooms),
    ...compatRoutes({
      senders,
      accepting,
      attach,
      contacts: store.contacts,
      readForm: createFormReader(uploads, { urlEncoded: true, rooms }),
      isOn: () => settings.get().compat_fonnte,
      random,
      now,
      logger,
    }),
    ...templateRoutes({ templates: official.templates, idempotency, service, senders }),
    ...messageRoutes({
      messages,
      rows,
      senders,
      settings,
      events: store.events,
      deliveries: store.deliveries,
      actions,
    }),
    ...bulkRoutes({ bulk: sending.bulk, senders }),
    ...customerRoutes({ ...store, settings }),
    ...summaryRoutes(store),
    ...senderRoutes({ service, senders, allPaused, templates: official.templates }),
    ...officialRoutes({ service, official: official.templates }),
    ...secondRoadRoutes({ service, official: official.templates }),
    ...pricingRoutes({ counts: store.pricingCounts, senders, now }),
    ...keyRoutes(access.keys),
    ...sessionRoutes(logins),
    ...proofRoutes(access.prover),
    ...webhookRoutes(callbacks),
    ...deliveryRoutes(callbacks.deliveries),
    ...suppressionRoutes({ optOuts: sending.optOuts, senders, now }),
    ...settingsRoutes({ settings, facts }),
    ...alarmRoutes(alarms),
    ...backupRoutes({
      createBackup: createBackup({
        store,
        temporaryFolder: temporaryFolder(config.home),
        dataKey: dataKey.bytes,
        version: VERSION,
        clock,
      }),
      noteBackup: () => store.meta.save('backup_at', String(now())),
      stageRestore:
        deployment.node === null
          ? createRestore({ home: config.home, sealForThisPc: dataKey.sealForThisPc })
          : refuseRestore,
      rotateDataKey: store.sealed === null ? refuseRotation : dataKey.rotate,
      restart: core.overrides.restart,
      clock,
    }),
    ...diagnosticsRoutes(reports.readDiagnostics),
    ...healthRoutes(reports.readHealth),
    ...overviewRoutes(reports.readOverview),
    ...refusedCallRoutes(access.refusedCalls),
    ...deployment.routes,
    ...eventRoutes({ stream, ...logins }),
    ...metricsRoutes(metrics.registry),
  ])
}

/** A backup holds files for a data folder. @throws ApiError `conflict` */
function refuseRestore(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database. Restore the backup into a folder, and copy that with "${COMMAND} migrate-to".`,
  )
}

/** The key of what is sealed is changed while nothing else runs. @throws ApiError `conflict` */
function refuseRotation(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database, and its data key stays. To change it, copy the database into a folder with "${COMMAND} migrate-to", change it there, and copy that back.`,
  )
}
