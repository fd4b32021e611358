import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createConnections } from '../connections/index.ts'
import { MOST_HISTORY_BYTES } from '../connections/linked/library/bounds.ts'
import { createOfficial } from '../connections/official/index.ts'
import { FINISH_WITHIN } from '../http/listen.ts'
import { ownNetworks } from '../lib/addresses.ts'
import {
  type AddressPolicy,
  createGuardedDispatcher,
  MOST_ANSWER_BYTES,
  mediaPolicy,
  withFraming,
} from '../lib/net-guard.ts'
import { VERSION } from '../lib/program.ts'
import { createMediaService } from '../media/files.ts'
import { openLocalFile } from '../media/local-file.ts'
import { createUploads } from '../media/uploads.ts'
import { endWaiting } from '../messages/actions.ts'
import type { MessageContext, OwnerHold } from '../messages/context.ts'
import { areAllPaused } from '../messages/gates.ts'
import { createLanes } from '../messages/lane.ts'
import { createRecorder } from '../messages/record.ts'
import { RETRY } from '../messages/status.ts'
import { listenWith } from '../senders/customers.ts'
import { ensureSandbox, type SenderContext } from '../senders/service.ts'
import { createSenderStates } from '../senders/states.ts'
import type { SenderRow } from '../store/index.ts'
import { createPostCallback } from '../webhooks/attempt.ts'
import type { CallbackFormats } from '../webhooks/callback.ts'
import { createDeliverer } from '../webhooks/deliverer.ts'
import type { DeliveryContext } from '../webhooks/deliveries.ts'
import { refuseTarget } from '../webhooks/target.ts'
import { type Core, policyOf } from './core.ts'

/** Creates the part that delivers callbacks to the owner's programs. */
export function createCallbackSide(core: Core, formats: CallbackFormats): DeliveryContext {
  const { store, dataKey, network, ports, resolve, bus, clock, random, logger, disposer, endTime } = core
  const policy = policyOf(ports)
  const dispatcher = createGuardedDispatcher({ ...network, policy, mostBytes: MOST_ANSWER_BYTES })
  disposer.defer('receivers', () => dispatcher.destroy())
  const context = {
    store,
    vault: dataKey.vault,
    formats,
    refuseTarget: (url: string) => refuseTarget(url, policy, resolve),
    bus,
    clock,
    endTime,
  }
  const deliverer = createDeliverer(context, {
    post: createPostCallback(dispatcher, clock, VERSION),
    awakeSince: core.awakeSince,
    random,
    logger,
  })
  disposer.defer('callbacks', deliverer.stop)
  return { ...context, deliverer }
}

/** Creates the part that sends accepted messages: lanes, connections, official senders. */
export async function createSending(core: Core) {
  const { deployment, config, overrides, store, settings, dataKey, network } = core
  const { newId, bus, clock, random, logger, disposer, endTime } = core
  const { vault } = dataKey
  const record = createRecorder(store.messages, bus)
  // For lanes and connections, because it fails once another node owns the sender.
  const recordOwned = createRecorder(deployment.fenced.messages, bus)
  const allPaused = () => areAllPaused(store)
  const files = await createFiles(core)
  const heldByOwner = new Map<string, OwnerHold>()
  const allLanes = createLanes({
    messages: store.messages,
    queues: store.queues,
    sendingState: store.sendingState,
    suppressions: store.suppressions,
    senderOf: store.senders.get,
    allPaused,
    heldByOwner,
    record: recordOwned,
    claimedAtOnce: deployment.claimedAtOnce,
    media: files.media,
    endTime,
    retry: overrides.retry ?? RETRY,
    bus,
    clock,
    random,
    logger,
  })
  const lanes = await deployment.guard(allLanes)
  const messaging: MessageContext = {
    store,
    bus,
    newId,
    now: clock.now,
    record,
    files,
    lanes,
    channelOf: (senderId) => connections.get(senderId)?.channel,
    heldByOwner,
    underWay: new Set(),
  }
  const customers = listenWith({
    messaging,
    keywords: () => ({ out: settings.get().opt_out_keywords, in: settings.get().opt_in_keywords }),
    vault,
    logger,
  })
  const states = createSenderStates(deployment.fenced.senders, bus, clock, logger)
  disposer.defer('sender states', states.close)
  const { url: whatsAppUrl } = config.whatsapp
  // A stand-in for WhatsApp may serve its files from its own host.
  const whatsAppHosts = mediaPolicy(whatsAppUrl === undefined ? [] : [new URL(whatsAppUrl).hostname])
  const connections = createConnections({
    store,
    states,
    record: recordOwned,
    recordTemplate: record,
    lanes,
    isOurs: deployment.owns,
    mayBeReplaced: deployment.sharesSenders,
    vault,
    customers,
    whatsapp: config.whatsapp,
    templateChannel: (sender) => official.laneChannel(sender),
    mediaDispatcher: createGuardedDispatcher({
      ...network,
      policy: whatsAppHosts,
      mostBytes: withFraming(MOST_HISTORY_BYTES),
    }),
    linked: overrides.linked ?? {},
    endTime,
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
    accepting: messaging,
    record,
    reportState: states.report,
    sandboxPost: connections.sandboxPost,
    customers,
    allPaused,
    isOurs: deployment.owns,
    sharesInbox: deployment.sharesSenders,
    publicUrl: () => settings.get().public_webhook_url,
    // No policy, because the owner's own address may be anywhere.
    dispatcher: createGuardedDispatcher({ ...network, policy: () => null, mostBytes: MOST_ANSWER_BYTES }),
    newId,
    awakeSince: core.awakeSince,
    endTime,
    bus,
    clock,
    logger,
  })
  disposer.defer('official senders', () => official.stop(FINISH_WITHIN))

  for (const id of await store.senders.deleted()) await endWaiting(messaging, id)
  // Starts nothing yet: `deployment.start` starts all senders that exist by then, the sandbox too.
  let start = async (_: SenderRow): Promise<void> => undefined
  const senders: SenderContext = {
    messaging,
    connections: { ...connections, start: (sender) => start(sender) },
    accounts: official.accounts,
    templates: official.templates,
  }
  await ensureSandbox(senders).catch(async () => {
    // Another node that starts at the same moment may have created the sandbox.
    await deployment.refresh?.()
    await ensureSandbox(senders)
  })
  start = await deployment.start(connections, lanes)
  return { messaging, senders, files, states, lanes, connections, official }
}

export type Sending = Awaited<ReturnType<typeof createSending>>

/** Creates the access to files of messages: uploaded, on this PC, or downloaded. */
async function createFiles({ config, deployment, store, settings, network, endTime, clock, disposer }: Core) {
  const { home } = config
  const uploads = createUploads({
    folder: join(home, 'files'),
    rows: store.uploads,
    shared: deployment.sharedFiles,
    quota: () => settings.get().files_quota_mb * 1024 * 1024,
    newId: randomUUID,
    endTime,
    clock,
  })
  await uploads.settle()
  const policy: AddressPolicy = (target) => mediaPolicy(settings.get().media_allowed_hosts, ownNetworks())(target)
  const media = createMediaService(join(home, 'media'), network, policy, uploads, clock)
  disposer.defer('media', media.close)
  await media.sweep(async (id) => (await store.messages.find({ id }))?.nextAt != null)
  return {
    uploads,
    media,
    openLocalFile: (address: string) => openLocalFile(address, { folders: settings.get().file_folders, home }),
  }
}
