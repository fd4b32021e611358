import type { Concern } from '../contract/concerns.ts'
import type { HealthContext } from '../health/context.ts'
import { readOverview } from '../health/overview.ts'
import type { BodyReader } from '../http/body.ts'
import type { Watcher } from '../http/context.ts'
import type { FormReader } from '../http/form.ts'
import type { Idempotency } from '../http/idempotency.ts'
import type { Gateway } from '../http/outline.ts'
import type { Route } from '../http/route.ts'
import { VERSION } from '../lib/version.ts'
import { alarms } from '../slices/alarms/index.ts'
import { backup } from '../slices/backup/index.ts'
import { createBulkActions } from '../slices/bulk/bulk.ts'
import { bulkRoutes } from '../slices/bulk/routes.ts'
import { cloudFormat } from '../slices/compat/cloud/callbacks.ts'
import { cloudGateway } from '../slices/compat/cloud/gateway.ts'
import { cloudRoutes } from '../slices/compat/cloud/routes.ts'
import { fonnteFormat } from '../slices/compat/fonnte/callbacks.ts'
import { fonnteGateway } from '../slices/compat/fonnte/gateway.ts'
import { fonnteRoutes } from '../slices/compat/fonnte/routes.ts'
import { panelGateway } from '../slices/compat/panel/gateway.ts'
import { panelRoutes } from '../slices/compat/panel/routes.ts'
import { wablasFormat } from '../slices/compat/wablas/callbacks.ts'
import { wablasGateway } from '../slices/compat/wablas/gateway.ts'
import { wablasRoutes } from '../slices/compat/wablas/routes.ts'
import { wahaFormat } from '../slices/compat/waha/callbacks.ts'
import { wahaGateway } from '../slices/compat/waha/gateway.ts'
import { wahaRoutes } from '../slices/compat/waha/routes.ts'
import { dropFolder } from '../slices/drop-folder/index.ts'
import { createOwnerActs, type OwnerActs } from '../slices/owner-acts/acts.ts'
import { ownerActRoutes } from '../slices/owner-acts/routes.ts'
import { pricingRoutes } from '../slices/pricing/routes.ts'
import { printerConcerns } from '../slices/printer/concerns.ts'
import { createPrinter } from '../slices/printer/printer.ts'
import { printerRoutes } from '../slices/printer/routes.ts'
import { createRefusedCalls } from '../slices/refused-calls/calls.ts'
import { findConcerns } from '../slices/refused-calls/groups.ts'
import { refusedCallRoutes } from '../slices/refused-calls/routes.ts'
import { tables } from '../slices/tables/index.ts'
import { textRoutes } from '../slices/texts/routes.ts'
import { type CallbackFormats, createFormats } from '../webhooks/callback.ts'
import { type Core, policyOf } from './core.ts'
import type { Sending } from './sending.ts'

/** A feature that a shop can live without: its folder and its lines here can be deleted. */
export interface Slice {
  routes: Route[]
  watcher?: Watcher
  /** The gateway whose programs it lets in. */
  gateway?: Gateway
  /** Notes what owners do. */
  acts?: OwnerActs
  /** Finds what the owner should know of. */
  concerns?: () => Promise<Concern[]>
}

export interface SliceParts {
  health: HealthContext
  readForm: FormReader
  pace: BodyReader['pace']
  idempotency: Idempotency
}

/** The forms that callbacks can have besides Kurir's own: a line for each mouth that has one. */
export const createCallbackFormats = ({ settings, store }: Core): CallbackFormats =>
  createFormats({
    fonnte: { ...fonnteFormat, isOffered: () => settings.get().compat_fonnte },
    wablas: { ...wablasFormat, isOffered: () => settings.get().compat_wablas },
    waha: { ...wahaFormat(store.senders), isOffered: () => settings.get().compat_waha },
    cloud_api: { ...cloudFormat, isOffered: () => settings.get().compat_cloud },
  })

/** Plugs the slices in. The core knows none of them, and none knows another. */
export function createSlices(
  core: Core,
  sending: Sending,
  { health, readForm, pace, idempotency }: SliceParts,
): Slice[] {
  const { config, deployment, store, settings, dataKey, bus, clock, random, logger, disposer } = core
  const { senders } = store
  const { messaging } = sending

  const bulk = createBulkActions(messaging, clock, logger)
  disposer.defer('bulk actions', bulk.close)
  const language = () => settings.get().language
  const alarming = alarms(
    {
      ...{ language, vault: dataKey.vault, meta: store.meta, clock, logger },
      mayTell: deployment.mayTellOwner,
      readOverview: () => readOverview(health),
    },
    messaging,
    { network: core.network, resolve: core.resolve, policy: policyOf(core.ports) },
  )
  disposer.defer('alarms', alarming.stop)

  const backups = backup({
    home: config.home,
    store,
    dataKey,
    refusals: deployment.refusals,
    restart: core.overrides.restart,
    version: VERSION,
    updateReady: () => core.update.version,
    uptime: core.uptime,
    bus,
    clock,
    logger,
  })
  disposer.defer('automatic backups', backups.stop)

  const table = tables({ messaging, settings: settings.get, clock, logger }, disposer)
  deployment.lookAfterOthers('tables', table.wake)

  // Programs that were written for another gateway.
  const mouth = {
    messaging,
    readForm,
    pace,
    idempotency,
    keysFromLan: () => settings.get().keys_in_addresses,
    random,
    logger,
  }
  const fonnte = { ...mouth, isOn: () => settings.get().compat_fonnte }
  const wablas = { ...mouth, isOn: () => settings.get().compat_wablas }
  const panel = { ...mouth, isOn: () => settings.get().compat_panel }
  const waha = { ...mouth, isOn: () => settings.get().compat_waha }
  const cloud = { ...mouth, isOn: () => settings.get().compat_cloud }
  const mouths: Slice[] = [
    { gateway: fonnteGateway, routes: fonnteRoutes(fonnte) },
    { gateway: wablasGateway, routes: wablasRoutes(wablas) },
    { gateway: panelGateway, routes: panelRoutes(panel) },
    { gateway: wahaGateway, routes: wahaRoutes(waha) },
    { gateway: cloudGateway, routes: cloudRoutes(cloud, sending.official.templates) },
  ]

  return [
    ...mouths,
    { routes: bulkRoutes(bulk, senders) },
    { routes: textRoutes(store, core.newId, clock.now) },
    table,
    { routes: pricingRoutes(store, clock.now) },
    { routes: alarming.routes },
    printerPort(core, sending),
    dropFolder(
      { messaging, tables: table, home: config.home, settings: settings.get, clock, logger },
      deployment.refusals?.dropFolder,
      disposer,
    ),
    backups,
    ownerActs(core),
    refusedCalls(
      core,
      mouths.flatMap(({ gateway }) => gateway ?? []),
    ),
  ]
}

function ownerActs({ store, config, settings, newId, clock, logger }: Core): Slice {
  const acts = createOwnerActs(store, config.home, newId, clock, logger)
  return { acts, routes: ownerActRoutes(acts, () => settings.get().language) }
}

function printerPort({ clock, logger, disposer }: Core, { messaging }: Sending): Slice {
  const printer = createPrinter(messaging, clock, logger)
  disposer.defer('printer port', printer.close)
  return { routes: printerRoutes(printer), concerns: async () => printerConcerns(await printer.facts()) }
}

function refusedCalls({ store, settings, clock, logger, disposer }: Core, mouths: readonly Gateway[]): Slice {
  const { keys } = store
  const calls = createRefusedCalls(store.refusedCalls, mouths, clock, logger)
  disposer.defer('refused calls', calls.close)
  const context = {
    ...{ store, keys, calls, mouths, now: clock.now },
    isOn: (name: string) => Object.entries(settings.get()).some(([its, value]) => its === name && value === true),
    switchOn: async (name: string) => void (await settings.update({ [name]: true })),
  }
  return { routes: refusedCallRoutes(calls, context), watcher: calls, concerns: () => findConcerns(context) }
}
