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

/** Parts that tests or the desktop shell replace: time, chance, the network. */
export interface Overrides extends Pick<OpenOptions, 'soon' | 'opened'> {
  clock?: SystemClock
  /** Resolves with the time of the nodes that share a database. */
  sharedTime?: () => Promise<number>
  random?: () => number
  logger?: RootLogger
  /** 32 bytes from the desktop shell. Absent: a key file is used. */
  vaultKey?: Buffer
  retry?: RetryPolicy
  resolve?: Resolve
  connect?: buildConnector.connector
  linked?: LinkedOverrides
  /** Returns the free bytes of the disk; null: unknown. */
  freeBytes?: () => number | null
  pages?: string
  /** Restarts this app to use a restored backup. Absent: the next start uses it. */
  restart?: () => void
}

/** Creates the parts that all others need: time, log, store, secrets, settings. */
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
  /** `since`: when Kurir started or the PC woke up. `lastSeen`: when Kurir last ran before that. */
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
  /** Ports of this run; 0 until Kurir listens. */
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
    /** Returns for how long this run lasts, in milliseconds; changes of the clock do not count. */
    uptime: () => clock.elapsed() - began,
    awake,
    awakeSince: () => awake.since,
    /**
     * Returns the time by which things expire: now, or within an hour of a start, when Kurir was
     * last open. While Kurir was closed nobody could act on things that would have expired, such as
     * a reply that waits for its receiver.
     */
    endTime: () => (clock.now() - awake.since < HOUR ? Math.min(awake.lastSeen, clock.now()) : clock.now()),
    /** Newer version that the desktop shell has downloaded; null: none. */
    update: { version: null as string | null },
  }
}

export type Core = Awaited<ReturnType<typeof createCore>>

/** Returns the policy that decides to which addresses callbacks and alarms may go. */
export const policyOf = (ports: Core['ports']) =>
  callbackPolicy({ ports: () => Object.values(ports), addresses: ownAddresses })

/** Wakes all lanes and deliveries, because the times that they wait for may have moved. */
function wakeAll(store: Store, bus: Bus): void {
  for (const { id } of store.senders.list()) bus.emit('lane', { senderId: id })
  for (const { id } of store.endpoints.list()) bus.emit('deliveries', { endpointId: id })
}
