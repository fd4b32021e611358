import { join } from 'node:path'
import { createBackup } from '../backup/backup.ts'
import { createRestore } from '../backup/restore.ts'
import { forwardToHolder } from '../cluster/forward.ts'
import { temporaryFolder } from '../data-folder/folder.ts'
import { createBodyReader } from '../http/body.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { createMetrics } from '../http/metrics.ts'
import { createPages } from '../http/pages.ts'
import { sendJson } from '../http/response.ts'
import { createRoutes } from '../http/routes.ts'
import { createApi } from '../http/server.ts'
import { createStream } from '../http/stream.ts'
import { systemClock } from '../lib/clock.ts'
import { createMessageRows } from '../messages/rows.ts'
import { startMaintenance } from '../store/index.ts'
import { VERSION } from '../version.ts'
import type { Callbacks } from '../webhooks/index.ts'
import { createAccess } from './access.ts'
import { createAddresses } from './addresses.ts'
import { createAlarmSide } from './alarms.ts'
import type { Core } from './core.ts'
import { createHealthSide } from './health.ts'
import { namesOfNode, refuseRestore, refuseRotation } from './nodes.ts'
import type { Sending } from './sending.ts'

/** What programs and the owner talk to. */
export function createApiSide(core: Core, sending: Sending, callbacks: Callbacks) {
  const { config, overrides, store, settings, dataKey, bus, clock, logger, disposer } = core
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
    nodes: store.nodes,
    senders: store.senders,
    messages: store.messages,
    deliveries: store.deliveries,
    endpoints: store.endpoints,
    problem: store.problem,
    bus,
  })
  disposer.defer('metrics', metrics.stop)
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
  const alarms = createAlarmSide(core, sending, reports.readOverview, access.instance.token)
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
        store.nodes === null ? createRestore({ home, sealForThisPc: dataKey.sealForThisPc }) : refuseRestore,
      rotateDataKey: store.sealed === null ? refuseRotation : dataKey.rotate,
      restart: overrides.restart,
      clock,
    },
    ...reports,
    stream,
    metrics,
    version: VERSION,
    home,
    addresses,
  })
  const stopping = { now: false }
  const readBytes = createBodyReader()
  const { nodes, problem } = store
  const api = createApi({
    refresh: nodes === null ? undefined : async () => (problem() === null ? nodes.refresh() : undefined),
    forward:
      nodes === null
        ? undefined
        : forwardToHolder({
            nodes,
            senders: store.senders,
            isRunning: (senderId) => sending.connections.get(senderId) !== undefined,
            ownerToken: access.instance.token,
            readBody: (req) => readBytes(req, { kind: 'owner', session: null }),
            sendJson,
            clock: systemClock,
          }),
    routes,
    prover: access.prover,
    readBytes,
    authentication: access.authentication,
    refusedCalls: access.refusedCalls,
    answered: metrics.answered,
    pages: createPages(overrides.pages ?? join(import.meta.dirname, '../../renderer')),
    allowedHosts: () => [...settings.get().allowed_hosts, ...namesOfNode(core)],
    corsOrigins: () => settings.get().cors_origins,
    stopping: () => stopping.now,
    logger,
  })
  return { api, host, instance: access.instance, newWindowLink, addresses, stream, stopping, concerns }
}

export type ApiSide = ReturnType<typeof createApiSide>
