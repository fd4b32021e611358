import { join } from 'node:path'
import { forgetStrangers } from '../connections/linked/keys/forget.ts'
import type { HealthContext } from '../health/context.ts'
import { createMetrics } from '../health/metrics.ts'
import { readConcerns } from '../health/reports.ts'
import { createBodyReader } from '../http/body.ts'
import { createFormReader } from '../http/form.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { createFormRooms } from '../http/multipart.ts'
import { createPages } from '../http/pages.ts'
import { createStream } from '../http/routes/events.ts'
import { createApi } from '../http/server.ts'
import { VERSION } from '../lib/program.ts'
import { setAllPaused } from '../messages/gates.ts'
import { freeBytes } from '../settings/data-folder.ts'
import { startMaintenance } from '../store/index.ts'
import type { DeliveryContext } from '../webhooks/deliveries.ts'
import { createAccess, createAddresses } from './access.ts'
import type { Core } from './core.ts'
import { createRoutes } from './routes.ts'
import type { Sending } from './sending.ts'
import { createSlices, type Slice } from './slices.ts'

/**
 * Creates the context of reports about the whole program.
 * @param slices is filled later, because slices need this context themselves
 */
function createHealthContext(core: Core, sending: Sending, host: string, slices: readonly Slice[]): HealthContext {
  const { deployment, config, overrides, store, settings, uptime, clock, logger } = core
  return {
    store,
    settings: settings.get,
    run: {
      version: VERSION,
      host,
      onServer: deployment.node !== null,
      uptime,
      awakeSince: core.awakeSince,
      freeBytes: overrides.freeBytes ?? (() => freeBytes(config.home)),
      updateReady: () => core.update.version,
    },
    official: sending.official,
    linking: (senderId) => sending.connections.get(senderId)?.linking() ?? null,
    async concernsOfOthers() {
      const ofSlices = slices.map((slice) => slice.concerns?.() ?? [])
      return (await Promise.all([deployment.concerns(core.awakeSince()), ...ofSlices])).flat()
    },
    clock,
    logger,
  }
}

/** Creates the HTTP API for callers and the owner. */
export function createApiSide(core: Core, sending: Sending, callbacks: DeliveryContext) {
  const { deployment, overrides, store, settings, bus, clock, logger, disposer } = core
  const access = createAccess(core)
  const slices: Slice[] = []
  const maintenance = startMaintenance({
    store,
    async forgetElsewhere(before, most) {
      const inSlices = slices.map((slice) => slice.forget?.(before, most) ?? 0)
      const removed = await Promise.all([forgetStrangers(store, core.dataKey.vault, deployment.owns), ...inSlices])
      return removed.reduce((sum, count) => sum + count, 0)
    },
    sweepFiles: sending.files.uploads.sweep,
    settings: settings.get,
    endTime: core.endTime,
    bus,
    clock,
    logger,
  })
  disposer.defer('maintenance', maintenance.stop)
  const stream = createStream(sending.messaging, clock, logger)

  const addresses = createAddresses(core, access.sessions)
  const { host, urls, newWindowLink } = addresses
  const health = createHealthContext(core, sending, host, slices)
  const metrics = createMetrics(health, bus)
  disposer.defer('metrics', metrics.stop)
  deployment.measure(metrics.registry)
  const bodies = createBodyReader()
  const rooms = createFormRooms(bodies)
  const readForm = createFormReader(sending.files.uploads, bodies, rooms)
  const idempotency: Idempotency = { store: store.idempotency, endTime: core.endTime, running: new Map() }
  slices.push(...createSlices(core, sending, { health, readForm, pace: bodies.pace, idempotency }))
  const routes = createRoutes(core, sending, callbacks, {
    access,
    slices,
    health,
    addresses,
    stream,
    metrics,
    rooms,
    readForm,
    idempotency,
  })
  const acts = slices.find((slice) => slice.acts !== undefined)?.acts
  let isStopping = false
  const api = createApi({
    refresh: deployment.refresh,
    forward: deployment.forwardWith(
      (senderId) => sending.connections.get(senderId) !== undefined,
      (req) => bodies.readBytes(req, { kind: 'owner', session: null }),
    ),
    routes: acts === undefined ? routes : routes.map(acts.around),
    prover: access.prover,
    bodies,
    authentication: access.authentication,
    watchers: slices.flatMap(({ watcher }) => watcher ?? []),
    answered: metrics.answered,
    pages: createPages(overrides.pages ?? join(import.meta.dirname, '../../renderer')),
    allowedHosts: () => [...settings.get().allowed_hosts, ...deployment.hostNames()],
    corsOrigins: () => settings.get().cors_origins,
    stopping: () => isStopping,
    logger,
  })
  return {
    api,
    host,
    instance: access.instance,
    newWindowLink,
    urls,
    stream,
    refuseCalls() {
      isStopping = true
    },
    concerns: () => readConcerns(health),
    /** Pauses or resumes all senders by the tray's menu, which counts as an act of the owner. */
    setAllPaused: (on: boolean): Promise<void> => {
      const set = () => setAllPaused(sending.messaging, on)
      return acts === undefined ? set() : acts.ofTray(on ? 'tray pause' : 'tray resume', set)
    },
  }
}

export type ApiSide = ReturnType<typeof createApiSide>
