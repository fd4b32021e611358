import { alarms } from '../alarms/index.ts'
import { backup } from '../backup/index.ts'
import { createBulkActions } from '../bulk/bulk.ts'
import { bulkRoutes } from '../bulk/routes.ts'
import { cloudRoutes } from '../compat/cloud/routes.ts'
import { fonnteFormat } from '../compat/fonnte/callbacks.ts'
import { fonnteRoutes } from '../compat/fonnte/routes.ts'
import { panelRoutes } from '../compat/panel/routes.ts'
import { wablasFormat } from '../compat/wablas/callbacks.ts'
import { wablasRoutes } from '../compat/wablas/routes.ts'
import { wahaRoutes } from '../compat/waha/routes.ts'
import type { createOverview } from '../health/overview.ts'
import type { FormReader } from '../http/form.ts'
import type { Idempotency } from '../http/idempotency.ts'
import type { Route } from '../http/route.ts'
import type { Watcher } from '../http/server.ts'
import { VERSION } from '../lib/version.ts'
import { pricingRoutes } from '../pricing/routes.ts'
import { createRefusedCalls } from '../refused-calls/calls.ts'
import { refusedCallRoutes } from '../refused-calls/routes.ts'
import { textRoutes } from '../texts/routes.ts'
import { type CallbackFormats, createFormats } from '../webhooks/formats.ts'
import { type Core, policyOf } from './core.ts'
import type { Sending } from './sending.ts'

/** A feature that a shop can live without: its folder and its lines here can be deleted. */
export interface Slice {
  routes: Route[]
  watcher?: Watcher
}

export interface SliceParts {
  readOverview: ReturnType<typeof createOverview>
  readForm: FormReader
  idempotency: Idempotency
}

/** The forms that callbacks can have besides Kurir's own: a line for each mouth that has one. */
export const createCallbackFormats = ({ settings }: Core): CallbackFormats =>
  createFormats({
    fonnte: { ...fonnteFormat, isOffered: () => settings.get().compat_fonnte },
    wablas: { ...wablasFormat, isOffered: () => settings.get().compat_wablas },
  })

/** Plugs the slices in. The core knows none of them, and none knows another. */
export function createSlices(
  core: Core,
  sending: Sending,
  { readOverview, readForm, idempotency }: SliceParts,
): Slice[] {
  const { config, deployment, store, settings, dataKey, bus, newId, clock, random, logger, disposer } = core
  const { senders } = store
  const { accepting, actions, beingCancelled } = sending
  const { now } = clock

  const bulk = createBulkActions({
    messages: store.messages,
    actions,
    record: sending.record,
    beingCancelled,
    newId,
    bus,
    clock,
    logger,
  })
  disposer.defer('bulk actions', bulk.close)
  const refusedCalls = createRefusedCalls({ store: store.refusedCalls, keys: store.keys, clock, logger })
  disposer.defer('refused calls', refusedCalls.close)
  const alarming = alarms({
    deployment,
    store,
    language: () => settings.get().language,
    vault: dataKey.vault,
    network: { ...core.network, resolve: core.resolve, policy: policyOf(core.ports) },
    accepting,
    readOverview,
    clock,
    logger,
  })
  disposer.defer('alarms', alarming.stop)

  // Programs that were written for another gateway.
  const mouth = { senders, accepting, attach: sending.files.attach, readForm, idempotency, logger }

  return [
    {
      routes: fonnteRoutes({
        ...mouth,
        contacts: store.contacts,
        isOn: () => settings.get().compat_fonnte,
        random,
        now,
      }),
    },
    { routes: wablasRoutes({ ...mouth, isOn: () => settings.get().compat_wablas }) },
    { routes: panelRoutes({ ...mouth, isOn: () => settings.get().compat_panel }) },
    { routes: wahaRoutes({ ...mouth, contacts: store.contacts, isOn: () => settings.get().compat_waha }) },
    {
      routes: cloudRoutes({ ...mouth, templates: sending.official.templates, isOn: () => settings.get().compat_cloud }),
    },
    { routes: bulkRoutes({ bulk, senders }) },
    { routes: textRoutes({ texts: store.savedTexts, newId, now }) },
    { routes: pricingRoutes({ figures: store.figures, senders, now }) },
    { routes: alarming.routes },
    {
      routes: backup({
        home: config.home,
        store,
        dataKey,
        isShared: deployment.node !== null,
        restart: core.overrides.restart,
        version: VERSION,
        clock,
      }),
    },
    { routes: refusedCallRoutes(refusedCalls), watcher: refusedCalls },
  ]
}
