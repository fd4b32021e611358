import { join } from 'node:path'
import { createBackup } from '../backup/backup.ts'
import { createRestore } from '../backup/restore.ts'
import { ApiError } from '../contract/errors.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import { createBodyReader } from '../http/body.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { createMetrics } from '../http/metrics.ts'
import { createPages } from '../http/pages.ts'
import { createRoutes } from '../http/routes.ts'
import { createApi } from '../http/server.ts'
import { createStream } from '../http/stream.ts'
import { COMMAND } from '../lib/command.ts'
import { createMessageRows } from '../messages/rows.ts'
import { startMaintenance } from '../store/index.ts'
import { VERSION } from '../version.ts'
import type { Callbacks } from '../webhooks/index.ts'
import { createAccess } from './access.ts'
import { createAddresses } from './addresses.ts'
import { createAlarmSide } from './alarms.ts'
import type { Core } from './core.ts'
import { createHealthSide } from './health.ts'
import type { Sending } from './sending.ts'

/** What programs and the owner talk to. */
export function createApiSide(core: Core, sending: Sending, callbacks: Callbacks) {
  const { deployment, config, overrides, store, settings, dataKey, bus, clock, logger, disposer } = core
  const { home } = config
  const access = createAccess(core, sending)
  const maintenance = startMaintenance({
    store,
    sweepFiles: sending.files.uploads.sweep,
    settings: settings.get,
    bus,
    clock,
    logger,
  })
  disposer.defer('maintenance', maintenance.stop)
  const metrics = createMetrics({
    senders: store.senders,
    messages: store.messages,
    deliveries: store.deliveries,
    endpoints: store.endpoints,
    problem: store.problem,
    bus,
  })
  disposer.defer('metrics', metrics.stop)
  deployment.measure(metrics.registry)
  const { messages, events } = store
  const rows = createMessageRows({
    messages,
    senders: store.senders,
    sendingState: store.sendingState,
    lanes: sending.lanes,
    allPaused: sending.allPaused.isOn,
    beingCancelled: sending.beingCancelled,
    now: clock.now,
  })
  const stream = createStream({ messages, events, rows, bus, clock, logger })

  const { host, addresses, newWindowLink } = createAddresses(core, access.sessions)
  const { concerns, ...reports } = createHealthSide(core, sending, host)
  const alarms = createAlarmSide(core, sending, reports.readOverview)
  const routes = createRoutes({
    store,
    alarms,
    rows,
    prepareMessage: sending.prepareMessage,
    attach: sending.files.attach,
    uploads: sending.files.uploads,
    optOuts: sending.optOuts,
    now: clock.now,
    random: core.random,
    logger,
    queueMessage: sending.queueMessage,
    actions: sending.actions,
    bulk: sending.bulk,
    idempotency: createIdempotency(store.idempotency, clock.now),
    senders: sending.senders,
    allPaused: sending.allPaused,
    templates: sending.official.templates,
    keys: access.keys,
    access: { sessions: access.sessions, authentication: access.authentication, newWindowLink },
    refusedCalls: access.refusedCalls,
    prover: access.prover,
    settings,
    callbacks,
    backup: {
      createBackup: createBackup({
        store,
        temporaryFolder: temporaryFolder(home),
        dataKey: dataKey.bytes,
        version: VERSION,
        clock,
      }),
      noteBackup: () => store.meta.save('backup_at', String(clock.now())),
      stageRestore:
        deployment.node === null ? createRestore({ home, sealForThisPc: dataKey.sealForThisPc }) : refuseRestore,
      rotateDataKey: store.sealed === null ? refuseRotation : dataKey.rotate,
      restart: overrides.restart,
      clock,
    },
    ...reports,
    stream,
    metrics,
    nodeRoutes: deployment.routes,
    node: deployment.node,
    version: VERSION,
    home,
    addresses,
  })
  const stopping = { now: false }
  const readBytes = createBodyReader()
  const api = createApi({
    refresh: deployment.refresh,
    forward: deployment.forwardWith(
      (senderId) => sending.connections.get(senderId) !== undefined,
      (req) => readBytes(req, { kind: 'owner', session: null }),
    ),
    routes,
    prover: access.prover,
    readBytes,
    authentication: access.authentication,
    refusedCalls: access.refusedCalls,
    answered: metrics.answered,
    pages: createPages(overrides.pages ?? join(import.meta.dirname, '../../renderer')),
    allowedHosts: () => [...settings.get().allowed_hosts, ...deployment.hostNames()],
    corsOrigins: () => settings.get().cors_origins,
    stopping: () => stopping.now,
    logger,
  })
  return { api, host, instance: access.instance, newWindowLink, addresses, stream, stopping, concerns }
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

export type ApiSide = ReturnType<typeof createApiSide>
