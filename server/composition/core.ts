import type { buildConnector } from 'undici'
import { alone } from '../cluster/deployment.ts'
import { oneOfSeveral } from '../cluster/nodes.ts'
import type { LinkedOverrides } from '../connections/context.ts'
import { ownAddresses } from '../lib/addresses.ts'
import { type Bus, createBus } from '../lib/bus.ts'
import { createSteadyClock, HOUR, type SystemClock, systemClock } from '../lib/clock.ts'
import type { Disposer } from '../lib/disposer.ts'
import { createLogger, type RootLogger } from '../lib/logger.ts'
import { type Resolve, systemResolve } from '../lib/net-guard.ts'
import { VERSION } from '../lib/program.ts'
import { createUuid7 } from '../lib/uuid7.ts'
import type { RetryPolicy } from '../messages/status.ts'
import type { Config } from '../settings/config.ts'
import { createDataFolder, emptyTemporaryFolder, ownerToken } from '../settings/data-folder.ts'
import { openDataKey } from '../settings/data-key.ts'
import { createSettings } from '../settings/settings.ts'
import { followClock, type OpenOptions, openStore, type Store } from '../store/index.ts'
import { callbackPolicy } from '../webhooks/target.ts'

/** Parts that tests replace: time, chance, the network. */
export interface Overrides extends Pick<OpenOptions, 'soon' | 'opened'> {
  clock?: SystemClock
  /** Time of nodes that share a database. */
  sharedTime?: () => Promise<number>
  random?: () => number
  logger?: RootLogger
  /** 32 bytes; the desktop's shell keeps them. Without it a key file is used. */
  vaultKey?: Buffer
  retry?: RetryPolicy
  resolve?: Resolve
  connect?: buildConnector.connector
  linked?: LinkedOverrides
  /** Room left on the disk. */
  freeBytes?: () => number | null
  /** Folder of the built pages. */
  pages?: string
  /** Restarts this app: a restored backup counts from then on. Without it, from the next start. */
  restart?: () => void
}

/** Makes what everything else needs: time, log, store, secrets, settings. */
export async function createCore(config: Config, overrides: Overrides, disposer: Disposer) {
  const { home } = config
  const clock = createSteadyClock(overrides.clock ?? systemClock)
  const began = clock.elapsed()
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const bus = createBus()
  const warning = createDataFolder(home)
  if (warning !== undefined) logger.warn(warning)
  const store = await openStore({
    home,
    databaseUrl: config.cluster?.databaseUrl,
    node: config.cluster?.node,
    files: config.cluster?.files,
    now: clock.now,
    waiting: (why) => logger.warn(why),
    soon: overrides.soon,
    opened: overrides.opened,
  })
  disposer.defer('store', store.close)
  const shared = store.time.shared && (overrides.sharedTime ?? store.time.shared)
  const time = { ...store.time, shared }
  const marked = Math.round(Number(store.meta.get('marked_at') ?? clock.now()))
  /** Since the start, or since the PC slept; `lastSeen`: before that. */
  const awake = { since: clock.now(), lastSeen: Math.min(marked, clock.now()) }
  const moved = () => {
    awake.since = clock.now()
    wakeAll(store, bus)
  }
  const following = await followClock({ clock, time, marked, moved, logger })
  disposer.defer('clock', following.stop)
  const left = emptyTemporaryFolder(home)
  if (left !== undefined) logger.warn({ err: left }, 'files of an earlier run could not be removed')
  const dataKey = await openDataKey(home, store, overrides.vaultKey, config.cluster?.vaultKeyFile)
  const resolve = overrides.resolve ?? systemResolve
  const settings = createSettings(store.settings, bus)
  /** Ports of this run; 0 until it listens. */
  const ports = { api: 0, webhook: 0 }
  const startedAt = clock.now()
  const token = ownerToken(home, config.ownerToken)
  const { cluster } = config
  const ownUrl = () => cluster?.url ?? `http://${cluster?.node}:${ports.api || (config.port ?? settings.get().port)}`
  const context = {
    store,
    reloadSettings: settings.reload,
    ownerToken: token,
    ownUrl,
    version: VERSION,
    startedAt,
    bus,
    clock,
    logger,
    disposer,
  }
  return {
    deployment: 'nodes' in store ? oneOfSeveral(context, store.nodes) : alone(store),
    ownerToken: token,
    config,
    overrides,
    disposer,
    clock,
    random: overrides.random ?? Math.random,
    logger,
    bus,
    store,
    dataKey,
    settings,
    newId: createUuid7(clock.now, (await store.messages.newest())?.id),
    resolve,
    network: overrides.connect === undefined ? { resolve } : { resolve, connect: overrides.connect },
    ports,
    startedAt,
    /** How long it runs, in milliseconds; a clock that is set does not change that. */
    uptime: () => clock.elapsed() - began,
    awake,
    awakeSince: () => awake.since,
    /**
     * Now, or, within an hour of a start, when Kurir was last open: nobody could act before on what
     * would end in between, such as a reply that waits for the till.
     */
    endTime: () => (clock.now() - awake.since < HOUR ? Math.min(awake.lastSeen, clock.now()) : clock.now()),
    /** The newer version that the desktop's shell has downloaded. */
    update: { version: null as string | null },
  }
}

export type Core = Awaited<ReturnType<typeof createCore>>

/** Decides where callbacks and alarms may go. */
export const policyOf = (ports: Core['ports']) =>
  callbackPolicy({ ports: () => Object.values(ports), addresses: ownAddresses })

/** Everything that waits for a time looks again. */
function wakeAll(store: Store, bus: Bus): void {
  for (const { id } of store.senders.list()) bus.emit('lane', { senderId: id })
  for (const { id } of store.endpoints.list()) bus.emit('deliveries', { endpointId: id })
}
