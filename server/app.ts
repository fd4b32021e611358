import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createFailedLogins } from './access/failed-logins.ts'
import { createApiKeys } from './access/keys.ts'
import { createOwnerSessions } from './access/sessions.ts'
import { createBackup } from './backup/backup.ts'
import { createRestore } from './backup/restore.ts'
import type { Config } from './config.ts'
import { type Connections, createConnections } from './connections/index.ts'
import { createOfficial } from './connections/official/index.ts'
import { LISTENER_LIMITS, WEBHOOK_PATH } from './connections/official/listener.ts'
import type { Concern } from './contract/concerns.ts'
import { uploadedFileId } from './contract/files.ts'
import { CODE_FRAGMENT, type WindowLink } from './contract/sessions.ts'
import { openDataKey } from './data-folder/data-key.ts'
import { freeBytes } from './data-folder/disk.ts'
import {
  createDataFolder,
  emptyTemporaryFolder,
  ownerToken,
  temporaryFolder,
  writeAddress,
} from './data-folder/folder.ts'
import { createAlarms } from './health/alarm.ts'
import { createAlarmChannels } from './health/alarm-channels.ts'
import { findConcerns } from './health/concerns/index.ts'
import { readDiagnostics } from './health/diagnostics.ts'
import { createHealth } from './health/health.ts'
import { createOverview } from './health/overview.ts'
import { readFacts } from './health/read-facts.ts'
import { createAuthentication } from './http/auth.ts'
import { ownAddresses, ownNetworks } from './http/hosts.ts'
import { createIdempotency } from './http/idempotency.ts'
import { FINISH_WITHIN, openListener } from './http/listen.ts'
import { createMetrics } from './http/metrics.ts'
import { createPages } from './http/pages.ts'
import { createRefusedCalls } from './http/refused-calls.ts'
import { createRoutes } from './http/routes.ts'
import { createApi } from './http/server.ts'
import { createStream } from './http/stream.ts'
import { type Bus, createBus } from './lib/bus.ts'
import { isoTime, systemClock } from './lib/clock.ts'
import { createDisposer, type Disposer } from './lib/disposer.ts'
import { createLogger, type RootLogger } from './lib/logger.ts'
import { createGuardedDispatcher, systemResolve } from './lib/net-guard.ts'
import { proofOf } from './lib/proof.ts'
import { createSteadyClock } from './lib/steady-clock.ts'
import { HOUR } from './lib/time.ts'
import { createUuid7 } from './lib/uuid7.ts'
import { openLocalFile } from './media/local-file.ts'
import { createMediaService } from './media/service.ts'
import { createUploads } from './media/uploads.ts'
import { createPrepareMessage, createQueueMessage } from './messages/accept.ts'
import { createMessageActions } from './messages/actions.ts'
import { createAttach } from './messages/attach.ts'
import { createBulkActions } from './messages/bulk.ts'
import { createLanes } from './messages/lanes.ts'
import { NOTHING_AS_SENT } from './messages/new-message.ts'
import { createRecorder, type Recorder } from './messages/record.ts'
import { RETRY } from './messages/results.ts'
import { createMessageRows } from './messages/rows.ts'
import { newWhatsAppId } from './messages/whatsapp-id.ts'
import type { Overrides } from './overrides.ts'
import { createAllPaused } from './senders/all-paused.ts'
import type { CustomersPort } from './senders/customers.ts'
import { createCustomers } from './senders/listen.ts'
import { createOptOuts, type OptOuts } from './senders/opt-outs.ts'
import { createPassOnReply } from './senders/replies.ts'
import { createSenderService } from './senders/service.ts'
import { createSenderStates } from './senders/states.ts'
import { createSettings } from './settings/settings.ts'
import { followClock, openStore, type Store, startMaintenance } from './store/index.ts'
import { VERSION } from './version.ts'
import { type Callbacks, createCallbacks } from './webhooks/index.ts'
import { callbackPolicy, refuseTarget } from './webhooks/target.ts'

export interface App {
  /** For programs on this PC that act for the owner. */
  ownerToken: string
  logger: RootLogger
  store: Store
  bus: Bus
  /** The address for programs on this PC; known after `start`. */
  apiUrl(): string
  /** A link that opens the window once, within 10 minutes. */
  newWindowLink(): WindowLink
  /** Where a tunnel leads. */
  webhookUrl(): string
  /** A start that fails leaves nothing open. @throws Error, a sentence for the owner */
  start(): Promise<void>
  /** What the desktop's shell shows near the clock. */
  ownerView: { concerns(): Promise<Concern[]>; language(): 'en' | 'id'; paused(): boolean }
  /** The PC goes to sleep. */
  suspend(): void
  /** After the PC slept: sockets are dead without knowing it, and messages fell due. */
  resume(): void
  /** The owner's wish for all senders. */
  setAllPaused(on: boolean): Promise<void>
  /** This version is installed when the program quits. */
  updateReady(version: string): void
  close(): Promise<void>
}

/** The composition root: everything is created here, once, and gets what it needs. @throws Error, a sentence for the owner */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const disposer = createDisposer()
  try {
    const core = await createCore(config, overrides, disposer)
    const callbacks = createCallbackSide(core)
    const sending = await createSending(core)
    const api = createApiSide(core, sending, callbacks)
    return createControls(core, sending, api)
  } catch (error) {
    await disposer.close()
    throw error
  }
}

type Core = Awaited<ReturnType<typeof createCore>>
type Sending = Awaited<ReturnType<typeof createSending>>
type ApiSide = ReturnType<typeof createApiSide>

/** What everything else needs: time, log, store, secrets, settings. */
async function createCore(config: Config, overrides: Overrides, disposer: Disposer) {
  const { home } = config
  const clock = createSteadyClock(overrides.clock ?? systemClock)
  const logger = overrides.logger ?? createLogger(config.logLevel)
  const bus = createBus()
  const open = createDataFolder(home)
  if (open !== undefined) logger.warn(open)
  const store = await openStore({ home, now: clock.now, soon: overrides.soon, opened: overrides.opened })
  disposer.defer('store', store.close)
  const following = await followClock({ clock, time: store.time, moved: () => wakeAll(store, bus), logger })
  disposer.defer('clock', following.stop)
  emptyTemporaryFolder(home)
  // Its browsers were those of another PC, or of another time.
  if (store.restored) await store.ownerSessions.clear()
  const dataKey = await openDataKey({
    home,
    shellKey: overrides.vaultKey,
    meta: store.meta,
    sealed: store.sealed,
  })
  const resolve = overrides.resolve ?? systemResolve
  return {
    config,
    overrides,
    disposer,
    clock,
    random: overrides.random ?? Math.random,
    logger,
    bus,
    store,
    dataKey,
    settings: createSettings(store.settings, bus),
    newId: createUuid7(clock.now, await store.messages.newestId()),
    resolve,
    network: overrides.connect === undefined ? { resolve } : { resolve, connect: overrides.connect },
    /** Where this run listens; 0 until it does. */
    ports: { api: 0, webhook: 0 },
    startedAt: clock.now(),
    /** Since the start, or since the PC slept. */
    awake: { since: clock.now() },
    /** The newer version that the desktop's shell has downloaded. */
    update: { version: null as string | null },
  }
}

/** Where callbacks and alarms may go. */
const policyOf = (ports: Core['ports']) =>
  callbackPolicy({ ports: () => Object.values(ports), addresses: ownAddresses })
/** Everything that waits for a time looks again. */
function wakeAll(store: Store, bus: Bus): void {
  for (const { id } of store.senders.list()) bus.emit('lane', { senderId: id })
  for (const { id } of store.endpoints.list()) bus.emit('deliveries', { endpointId: id })
}

/** Callbacks to the owner's programs. */
function createCallbackSide(core: Core): Callbacks {
  const { store, dataKey, network, ports, resolve, bus, clock, random, logger, disposer } = core
  const policy = policyOf(ports)
  const callbacks = createCallbacks({
    store,
    vault: dataKey.vault,
    dispatcher: createGuardedDispatcher({ ...network, policy: () => policy }),
    refuseTarget: (url) => refuseTarget(url, policy, resolve),
    version: VERSION,
    bus,
    clock,
    random,
    logger,
  })
  disposer.defer('callbacks', callbacks.stop)
  return callbacks
}

/** From a message that is accepted to WhatsApp and Meta: lanes, connections, official senders. */
async function createSending(core: Core) {
  const { config, overrides, store, settings, dataKey, network, newId, bus, clock, random, logger, disposer } = core
  const { vault } = dataKey
  const record = createRecorder({ messages: store.messages, bus })
  const queueMessage = createQueueMessage({ messages: store.messages, bus })
  const prepareMessage = createPrepareMessage({ newId, now: clock.now })
  const allPaused = createAllPaused({ meta: store.meta, senders: store.senders, bus })

  const allowedHosts = () => settings.get().media_allowed_hosts
  const uploads = createUploads({
    folder: join(config.home, 'files'),
    rows: store.uploads,
    quota: () => settings.get().files_quota_mb * 1024 * 1024,
    newId: randomUUID,
    clock,
  })
  await uploads.settle()
  const attach = createAttach({
    uploads,
    openLocalFile: (address) => openLocalFile(address, { folders: settings.get().file_folders, home: config.home }),
  })
  const media = createMediaService({
    home: config.home,
    allowedHosts,
    ownAddresses: ownNetworks,
    uploads,
    network,
    clock,
  })
  disposer.defer('media', media.close)
  await media.sweep(async (id) => (await store.messages.find({ id }))?.nextAt != null)

  const listening = createListening(core, { record, releaseMedia: media.release })
  const states = createSenderStates({ senders: store.senders, bus, clock, logger })
  disposer.defer('sender states', states.close)
  const lanes = createLanes({
    messages: store.messages,
    sendingState: store.sendingState,
    suppressions: store.suppressions,
    senderOf: store.senders.get,
    allPaused: allPaused.isOn,
    record,
    media,
    newWhatsAppId,
    retry: overrides.retry ?? RETRY,
    bus,
    clock,
    random,
    logger,
  })
  await lanes.recover()
  const connections = createConnections({
    store,
    states,
    record,
    lanes,
    vault,
    customers: listening.customers,
    whatsapp: config.whatsapp,
    templateChannel: (sender) => official.laneChannel(sender),
    linked: overrides.linked ?? {},
    bus,
    clock,
    random,
    logger,
  })
  disposer.defer('connections', connections.stop)
  disposer.defer('lanes', () => lanes.stop(FINISH_WITHIN))

  const official = createOfficial({
    store,
    vault,
    graph: config.graph,
    queueMessage,
    record,
    reportState: states.report,
    sandboxPost: connections.sandboxPost,
    customers: listening.customers,
    allPaused: allPaused.isOn,
    publicUrl: () => settings.get().public_webhook_url,
    // The owner's own address may be anywhere.
    dispatcher: createGuardedDispatcher({ ...network, policy: () => () => null }),
    newId,
    bus,
    clock,
    logger,
  })
  disposer.defer('official senders', () => official.stop(FINISH_WITHIN))

  const actions = createMessageActions({
    messages: store.messages,
    senderOf: store.senders.get,
    queueMessage,
    record,
    events: store.events,
    channelOf: (senderId) => connections.get(senderId)?.channel,
    isStillThere: async (file) => {
      const id = uploadedFileId(file)
      return id === undefined || (await uploads.get(id)) !== undefined
    },
    releaseMedia: media.release,
    wakeLane: lanes.wake,
    newId,
    now: clock.now,
  })
  for (const id of await store.senders.deleted()) await actions.endWaiting(id)
  const bulk = createBulkActions({ messages: store.messages, actions, record, newId, bus, clock, logger })
  disposer.defer('bulk actions', bulk.close)
  const senders = await createSenders(core, { connections, official, allPaused, endWaiting: actions.endWaiting })
  return {
    prepareMessage,
    bulk,
    attach,
    uploads,
    ...listening,
    queueMessage,
    actions,
    allPaused,
    states,
    lanes,
    connections,
    official,
    senders,
  }
}

/** What follows from what customers say and want. */
function createListening(
  { store, settings, dataKey, bus, clock }: Core,
  { record, releaseMedia }: { record: Recorder; releaseMedia: (messageId: string) => Promise<void> },
): { optOuts: OptOuts; customers: CustomersPort } {
  const { messages, senders, suppressions, replies } = store
  const { now } = clock
  const optOuts = createOptOuts({ suppressions, messages, senders, record, releaseMedia, bus, now })
  const customers = createCustomers({
    optOuts,
    passOn: createPassOnReply({ replies, messages, senders, vault: dataKey.vault, bus, now }),
    seen: replies,
    keywords: () => ({ out: settings.get().opt_out_keywords, in: settings.get().opt_in_keywords }),
  })
  return { optOuts, customers }
}

/** The service of senders, with the connections of those that there are. */
async function createSenders(
  { store, bus, clock }: Core,
  deps: Pick<Parameters<typeof createSenderService>[0], 'allPaused' | 'endWaiting'> & {
    connections: Connections
    official: ReturnType<typeof createOfficial>
  },
) {
  const senders = createSenderService({
    senders: store.senders,
    sendingState: store.sendingState,
    messages: store.messages,
    secondRoads: store.secondRoads,
    connections: deps.connections,
    official: deps.official.accounts,
    allPaused: deps.allPaused,
    endWaiting: deps.endWaiting,
    bus,
    clock,
  })
  await senders.ensureSandbox()
  await deps.connections.startAll()
  return senders
}

/** What programs and the owner talk to. */
function createApiSide(core: Core, sending: Sending, callbacks: Callbacks) {
  const { config, overrides, store, settings, dataKey, newId, ports, startedAt, bus, clock, logger, disposer } = core
  const { home } = config
  const keys = createApiKeys({
    keys: store.keys,
    senderIdOf: (code) => sending.senders.get(code).id,
    codeOf: store.senders.codeOf,
    newId,
    clock,
    logger,
  })
  disposer.defer('keys', keys.close)
  const token = ownerToken(home, config.ownerToken)
  const sessions = createOwnerSessions({ store: store.ownerSessions, newId, clock, logger })
  const authentication = createAuthentication({
    keys,
    sessions,
    failures: createFailedLogins(clock.elapsed),
    ownerToken: token,
    remoteAdministration: () => settings.get().remote_administration,
  })
  const refusedCalls = createRefusedCalls({ store: store.refusedCalls, keys: store.keys, clock, logger })
  disposer.defer('refused calls', refusedCalls.close)
  const maintenance = startMaintenance({
    store,
    sweepFiles: sending.uploads.sweep,
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
    now: clock.now,
  })
  const stream = createStream({ messages, events, rows, bus, clock, logger })

  const host = config.host ?? settings.get().host
  const addresses = () => ({
    api: localUrl(ports.api),
    lan: host === '127.0.0.1' ? [] : lanUrls(ports.api),
    webhook: `${localUrl(ports.webhook)}${WEBHOOK_PATH}`,
  })
  function newWindowLink(): WindowLink {
    const { code, expiresAt } = sessions.issueCode()
    const { api, lan } = addresses()
    const [url = '', ...others] = [api, ...lan].map((each) => `${each}/${CODE_FRAGMENT}${code}`)
    return { url, lan_urls: settings.get().remote_administration ? others : [], expires_at: isoTime(expiresAt) }
  }
  const disk = overrides.freeBytes ?? (() => freeBytes(home))
  const allPaused = sending.allPaused.isOn
  const facts = {
    ...{ store, states: sending.states, allPaused, settings: settings.get, host, freeBytes: disk, clock },
    linking: (senderId: number) => sending.connections.get(senderId)?.linking() ?? null,
    official: sending.official.concernFacts,
    graphVersionEndsAt: sending.official.versionEndsAt,
    awakeSince: () => core.awake.since,
    updateReady: () => core.update.version,
  }
  const concerns = async () => findConcerns(await readFacts(facts))
  const about = { store, allPaused, version: VERSION, startedAt, freeBytes: disk, concerns, clock }
  const readOverview = createOverview(about)
  const alarms = createAlarmSide(core, sending, readOverview)
  const routes = createRoutes({
    store,
    alarms,
    rows,
    prepareMessage: sending.prepareMessage,
    attach: sending.attach,
    uploads: sending.uploads,
    optOuts: sending.optOuts,
    now: clock.now,
    random: core.random,
    queueMessage: sending.queueMessage,
    actions: sending.actions,
    bulk: sending.bulk,
    idempotency: createIdempotency(store.idempotency, clock.now),
    senders: sending.senders,
    allPaused: sending.allPaused,
    templates: sending.official.templates,
    keys,
    access: { sessions, authentication, newWindowLink },
    refusedCalls,
    prove: (port, nonce) => proofOf(token, port, nonce),
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
      stageRestore: createRestore({ home, sealForThisPc: dataKey.sealForThisPc }),
      rotateDataKey: dataKey.rotate,
      restart: overrides.restart,
      clock,
    },
    readHealth: createHealth(about),
    readOverview,
    readDiagnostics: () =>
      readDiagnostics({
        ...about,
        settings: settings.get,
        logLines: logger.newestLines,
        ignoredFields: sending.official.ignoredFields,
      }),
    stream,
    metrics,
    version: VERSION,
    home,
    addresses,
  })
  const stopping = { now: false }
  const api = createApi({
    routes,
    authentication,
    refusedCalls,
    answered: metrics.answered,
    pages: createPages(overrides.pages ?? join(import.meta.dirname, '../renderer')),
    allowedHosts: () => settings.get().allowed_hosts,
    corsOrigins: () => settings.get().cors_origins,
    stopping: () => stopping.now,
    logger,
  })
  return { api, host, ownerToken: token, newWindowLink, addresses, stream, stopping, concerns }
}

/** Alarms outside of the window. */
function createAlarmSide(core: Core, sending: Sending, readOverview: ReturnType<typeof createOverview>) {
  const { store, settings, dataKey, network, resolve, ports, clock, logger, disposer } = core
  const policy = policyOf(ports)
  const channels = createAlarmChannels({
    policy,
    resolve,
    dispatcher: createGuardedDispatcher({ ...network, policy: () => policy }),
    sendWhatsApp: async (code, phone, text) => {
      const sender = store.senders.byCode(code)
      if (sender === undefined || sender.kind === 'official') throw new Error(`${code} cannot send such a message`)
      if (sender.state !== 'connected' || sender.paused) throw new Error(`${sender.settings.name} is not connected`)
      const message = sending.prepareMessage(
        { sender, key: null },
        { phone, message: text, delay: 0 },
        NOTHING_AS_SENT,
        null,
      )
      // An alarm of yesterday helps nobody.
      await sending.queueMessage({ ...message, expiresAt: message.dueAt + HOUR }, { key: null })
    },
    clock,
  })
  const alarms = createAlarms({
    channels,
    readOverview,
    language: () => settings.get().language,
    knownSender: (code) => store.senders.byCode(code) !== undefined,
    vault: dataKey.vault,
    meta: store.meta,
    clock,
    logger,
  })
  disposer.defer('alarms', alarms.stop)
  return alarms
}

const localUrl = (port: number): string => `http://127.0.0.1:${port}`

/** How other PCs on the LAN reach a port of this one. */
const lanUrls = (port: number): string[] =>
  ownAddresses()
    .filter((ip) => !ip.includes(':'))
    .map((ip) => `http://${ip}:${port}`)

/** What the process around it can do with the running program. */
function createControls(
  core: Core,
  sending: Sending,
  { api, host, ownerToken, newWindowLink, addresses, stream, stopping, concerns }: ApiSide,
): App {
  const { config, store, settings, bus, logger, ports, disposer } = core
  const { allPaused, lanes, connections, official } = sending

  async function listen(): Promise<void> {
    await official.start()
    const { port, webhook_port } = settings.get()
    ports.webhook = await openListener(
      {
        app: official.listener,
        host: '127.0.0.1',
        port: config.webhookPort ?? webhook_port,
        variable: 'KURIR_WEBHOOK_PORT',
        limits: LISTENER_LIMITS,
      },
      disposer,
    )
    ports.api = await openListener({ app: api, host, port: config.port ?? port, variable: 'KURIR_PORT' }, disposer)
  }

  const apiUrl = () => addresses().api
  return {
    ownerToken,
    newWindowLink,
    logger,
    store,
    bus,
    apiUrl,
    webhookUrl: () => addresses().webhook,
    async start() {
      try {
        await listen()
      } catch (error) {
        await disposer.close()
        throw error
      }
      disposer.defer('address', writeAddress(config.home, apiUrl()))
      disposer.defer('streams', () => {
        stopping.now = true
        return stream.close()
      })
      logger.info({ host, port: ports.api, version: VERSION }, 'ready')
    },
    ownerView: {
      concerns,
      language: () => settings.get().language,
      paused: allPaused.isOn,
    },
    suspend() {
      lanes.suspend()
      connections.suspendAll()
    },
    resume() {
      core.awake.since = core.clock.now()
      connections.resumeAll()
      lanes.resume()
    },
    setAllPaused: allPaused.set,
    updateReady(version) {
      core.update.version = version
    },
    close: disposer.close,
  }
}
