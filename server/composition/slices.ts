import type { Concern } from '../contract/concerns.ts'
import type { HealthContext } from '../health/context.ts'
import { readOverview } from '../health/reports.ts'
import type { BodyReader } from '../http/body.ts'
import type { Watcher } from '../http/context.ts'
import type { FormReader } from '../http/form.ts'
import type { Idempotency } from '../http/idempotency.ts'
import type { Route } from '../http/route.ts'
import { VERSION } from '../lib/program.ts'
import type { SettingsService } from '../settings/settings.ts'
import { alarms } from '../slices/alarms/index.ts'
import { backup } from '../slices/backup/index.ts'
import { bulkRoutes, createBulkActions } from '../slices/bulk/index.ts'
import { cloud } from '../slices/compat/cloud/index.ts'
import { fonnte } from '../slices/compat/fonnte/index.ts'
import type { Mouth } from '../slices/compat/mouth.ts'
import { panel } from '../slices/compat/panel/index.ts'
import { wablas } from '../slices/compat/wablas/index.ts'
import { waha } from '../slices/compat/waha/index.ts'
import { dropFolder } from '../slices/drop-folder/index.ts'
import { createOwnerActs, type OwnerActs, ownerActRoutes } from '../slices/owner-acts/index.ts'
import type { Named } from '../slices/owner-acts/named.ts'
import { pricingRoutes } from '../slices/pricing/index.ts'
import { printerPort } from '../slices/printer/index.ts'
import { refusedCalls } from '../slices/refused-calls/index.ts'
import { tables } from '../slices/tables/index.ts'
import { texts } from '../slices/texts/index.ts'
import { type CallbackFormats, createFormats } from '../webhooks/callback.ts'
import { type Core, policyOf } from './core.ts'
import type { Sending } from './sending.ts'

/** An optional feature. Its folder and its lines in this file can be deleted. */
export interface Slice {
  routes: Route[]
  watcher?: Watcher
  acts?: OwnerActs
  /** Names the object of an owner's act. */
  named?: Named
  /** Removes up to `most` rows that name people and are older; resolves with the number removed. */
  forget?: (before: number, most: number) => Promise<number>
  concerns?: () => Promise<Concern[]>
}

export interface SliceParts {
  health: HealthContext
  readForm: FormReader
  pace: BodyReader['pace']
  idempotency: Idempotency
}

/** Other gateways whose API Kurir also speaks. */
const MOUTHS: readonly Mouth[] = [fonnte, wablas, panel, waha, cloud]

/** True if the owner switched a feature on. @param name of its setting */
function isOn(settings: SettingsService, name: string): boolean {
  const values: Record<string, unknown> = settings.get()
  return values[name] === true
}

export const createCallbackFormats = ({ settings, store }: Core): CallbackFormats =>
  createFormats(
    MOUTHS.flatMap(({ mouth, callbacks }) =>
      callbacks === undefined
        ? []
        : [[callbacks.name, { ...callbacks.format(store.senders), isOffered: () => isOn(settings, mouth.switch) }]],
    ),
  )

/** Creates the slices. The core knows none of them, and no slice knows another. */
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

  const mouth = {
    ...{ messaging, readForm, pace, idempotency, random, logger },
    keysFromLan: () => settings.get().keys_in_addresses,
    templates: sending.official.templates,
  }

  const slices: Slice[] = [
    ...MOUTHS.map(({ mouth: { switch: name }, routes }) => ({
      routes: routes({ ...mouth, isOn: () => isOn(settings, name) }),
    })),
    { routes: bulkRoutes(bulk, senders) },
    texts(store, core.newId, clock.now),
    table,
    { routes: pricingRoutes(store, clock.now) },
    { routes: alarming.routes },
    printerPort(messaging, clock, logger, disposer),
    dropFolder(
      { messaging, tables: table, home: config.home, settings: settings.get, clock, logger },
      deployment.refusals?.dropFolder,
      disposer,
    ),
    backups,
    refusedCalls(
      {
        ...{ store, mouths: MOUTHS, clock, logger },
        isOn: (name) => isOn(settings, name),
        switchOn: async (name) => void (await settings.update({ [name]: true })),
      },
      disposer,
    ),
  ]
  return [...slices, ownerActs(core, slices)]
}

function ownerActs({ store, config, settings, newId, clock, logger }: Core, slices: readonly Slice[]): Slice {
  const named = slices.flatMap((slice) => slice.named ?? [])
  const acts = createOwnerActs({ store, named }, config.home, newId, clock, logger)
  return { acts, routes: ownerActRoutes(acts, () => settings.get().language) }
}
