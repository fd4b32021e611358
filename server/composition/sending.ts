import { createConnections } from '../connections/index.ts'
import { MOST_HISTORY_BYTES } from '../connections/linked/library/bounds.ts'
import { createOfficial } from '../connections/official/index.ts'
import { uploadedFileId } from '../contract/send.ts'
import { FINISH_WITHIN } from '../http/listen.ts'
import { createGuardedDispatcher, MOST_ANSWER_BYTES, withFraming } from '../lib/net-guard.ts'
import { VERSION } from '../lib/version.ts'
import { mediaPolicy } from '../media/allowed-hosts.ts'
import type { AcceptContext } from '../messages/accept.ts'
import { createMessageActions } from '../messages/actions.ts'
import type { OwnerHold } from '../messages/lane-context.ts'
import { createLanes } from '../messages/lanes.ts'
import { createRecorder, type Recorder } from '../messages/record.ts'
import { RETRY } from '../messages/status.ts'
import { createAllPaused } from '../senders/all-paused.ts'
import type { CustomersPort } from '../senders/customers.ts'
import { createCustomers } from '../senders/listen.ts'
import { createOptOuts, type OptOuts } from '../senders/opt-outs.ts'
import { createPassOnReply } from '../senders/replies.ts'
import { createSenderStates } from '../senders/states.ts'
import { type CallbackFormats, callbackOf } from '../webhooks/callback.ts'
import { createDeliverer } from '../webhooks/deliverer.ts'
import type { DeliveryContext } from '../webhooks/deliveries.ts'
import { createPostCallback } from '../webhooks/post.ts'
import { refuseTarget } from '../webhooks/target.ts'
import { type Core, policyOf } from './core.ts'
import { createFiles } from './files.ts'
import { createSenders } from './senders.ts'

/** Callbacks to the owner's programs. */
export function createCallbackSide(core: Core, formats: CallbackFormats): DeliveryContext {
  const { store, dataKey, network, ports, resolve, bus, clock, random, logger, disposer, endTime } = core
  const policy = policyOf(ports)
  const dispatcher = createGuardedDispatcher({ ...network, policy: () => policy, mostBytes: MOST_ANSWER_BYTES })
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
    callbackOf: (delivery) => callbackOf(context, delivery),
    post: createPostCallback({ dispatcher, clock, version: VERSION }),
    awakeSince: () => core.awake.since,
    random,
    logger,
  })
  disposer.defer('callbacks', deliverer.stop)
  return { ...context, deliverer }
}

/** From a message that is accepted to WhatsApp and Meta: lanes, connections, official senders. */
export async function createSending(core: Core) {
  const {
    deployment,
    config,
    overrides,
    store,
    settings,
    dataKey,
    network,
    newId,
    bus,
    clock,
    random,
    logger,
    disposer,
  } = core
  const { vault } = dataKey
  const record = createRecorder({ messages: store.messages, bus })
  const accepting: AcceptContext = { messages: store.messages, groups: store.groups, bus, newId, now: clock.now }
  const allPaused = createAllPaused({ meta: store.meta, senders: store.senders, bus })

  const files = await createFiles(core)
  const { media, uploads } = files
  const listening = createListening(core, { record, releaseMedia: media.release })
  const states = createSenderStates({ senders: store.senders, bus, clock, logger })
  disposer.defer('sender states', states.close)
  const { find, members } = store.messages
  const recordOwned = createRecorder({ messages: { ...deployment.fenced(store.messages), find, members }, bus })
  const heldByOwner = new Map<string, OwnerHold>()
  const allLanes = createLanes({
    messages: store.messages,
    sendingState: store.sendingState,
    suppressions: store.suppressions,
    senderOf: store.senders.get,
    allPaused: allPaused.isOn,
    heldByOwner,
    record: recordOwned,
    claimedAtOnce: deployment.claimedAtOnce,
    media,
    endTime: core.endTime,
    retry: overrides.retry ?? RETRY,
    bus,
    clock,
    random,
    logger,
  })
  const lanes = await deployment.guard(allLanes)
  const { url: whatsAppUrl } = config.whatsapp
  // A WhatsApp of one's own may have its files where it is itself.
  const whatsAppHosts = mediaPolicy(whatsAppUrl === undefined ? [] : [new URL(whatsAppUrl).hostname])
  const connections = await createConnections({
    store,
    states,
    record: recordOwned,
    recordTemplate: record,
    lanes,
    isOurs: deployment.owns,
    mayBeReplaced: deployment.sharesSenders,
    vault,
    customers: listening.customers,
    whatsapp: config.whatsapp,
    templateChannel: (sender) => official.laneChannel(sender),
    mediaDispatcher: createGuardedDispatcher({
      ...network,
      policy: () => whatsAppHosts,
      mostBytes: withFraming(MOST_HISTORY_BYTES),
    }),
    linked: overrides.linked ?? {},
    endTime: core.endTime,
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
    accepting,
    record,
    reportState: states.report,
    sandboxPost: connections.sandboxPost,
    customers: listening.customers,
    allPaused: allPaused.isOn,
    isOurs: deployment.owns,
    sharesInbox: deployment.sharesSenders,
    publicUrl: () => settings.get().public_webhook_url,
    // The owner's own address may be anywhere.
    dispatcher: createGuardedDispatcher({ ...network, policy: () => () => null, mostBytes: MOST_ANSWER_BYTES }),
    newId,
    awakeSince: () => core.awake.since,
    endTime: core.endTime,
    bus,
    clock,
    logger,
  })
  disposer.defer('official senders', () => official.stop(FINISH_WITHIN))

  const actions = createMessageActions({
    messages: store.messages,
    senderOf: store.senders.get,
    accepting,
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
  const senders = await createSenders(core, { connections, lanes, official, allPaused, endWaiting: actions.endWaiting })
  return {
    heldByOwner,
    record,
    files,
    ...listening,
    accepting,
    actions,
    allPaused,
    states,
    lanes,
    connections,
    official,
    senders,
  }
}

export type Sending = Awaited<ReturnType<typeof createSending>>

/** Listens to what customers say and want. */
function createListening(
  { store, settings, dataKey, bus, clock, logger }: Core,
  { record, releaseMedia }: { record: Recorder; releaseMedia: (messageId: string) => Promise<void> },
): { optOuts: OptOuts; customers: CustomersPort } {
  const { messages, senders, suppressions, replies } = store
  const { now } = clock
  const optOuts = createOptOuts({ suppressions, messages, senders, record, releaseMedia, bus, now })
  const customers = createCustomers({
    optOuts,
    passOn: createPassOnReply({ replies, messages, senders, vault: dataKey.vault, bus, now, logger }),
    seen: replies,
    keywords: () => ({ out: settings.get().opt_out_keywords, in: settings.get().opt_in_keywords }),
  })
  return { optOuts, customers }
}
