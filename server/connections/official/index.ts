import type { Dispatcher } from 'undici'
import { createBackground } from '../../lib/background.ts'
import type { Bus } from '../../lib/bus.ts'
import { type Clock, DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Channel } from '../../messages/channel.ts'
import type { AcceptContext } from '../../messages/context.ts'
import type { Recorder } from '../../messages/record.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { OfficialAccountsPort, StateReport, TemplatesPort } from '../../senders/ports.ts'
import type { SenderRow, Store } from '../../store/index.ts'
import { concernFacts } from './account/concern-facts.ts'
import type { AccountContext } from './account/context.ts'
import { applyNews } from './account/news.ts'
import { accountOf, checkNow, checkSender, officialView, registerNumber, setUpCallbacks } from './account/sender.ts'
import { followState, noteAccepted, noteRefused, noteUndelivered } from './account/sender-state.ts'
import { createProbe } from './account/setup.ts'
import { createAccounts, type OfficialAccount } from './graph/accounts.ts'
import type { OfficialContext } from './graph/context.ts'
import { createGraphClient, endingVersion } from './graph/graph-client.ts'
import { createGraphHttp } from './graph/graph-http.ts'
import { createRateLimitBackoff } from './graph/rate-limit-backoff.ts'
import { createMetaInbox, type MetaInbox } from './inbox/inbox.ts'
import { createListener } from './inbox/listener.ts'
import type { TemplateContext } from './sending/context.ts'
import { createLaneChannel } from './sending/lane-channel.ts'
import { createSecondRoad, tryRoad } from './sending/second-road.ts'
import { queueTemplate, sendTemplate } from './sending/send.ts'
import { createStaleMessages } from './sending/stale-messages.ts'
import { createCatalogue } from './templates/catalogue.ts'
import { createTemplateTargets, type TemplateTarget } from './templates/template-target.ts'

export interface OfficialDeps {
  store: Store
  vault: Vault
  graph: { url: string; version: string; timeoutMs: number }
  accepting: AcceptContext
  record: Recorder
  reportState: (senderId: number, report: StateReport) => void
  /** Answers in Meta's place for sandbox senders. */
  sandboxPost: TemplateTarget['post']
  customers: CustomersPort
  /** True while the owner has paused all senders. */
  allPaused: () => boolean
  /** True if this node sends for a sender. */
  isOurs: (senderId: number) => boolean
  /** True if other nodes store Meta's callbacks in the same store. */
  sharesInbox: boolean
  publicUrl: () => string | null
  /** For the call to the owner's public address. */
  dispatcher: Dispatcher
  newId: () => string
  /** Time of the start, or of the PC's last wake-up. */
  awakeSince: () => number
  /** The present time; shortly after a start, the time when Kurir last ran. */
  endTime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}

export function createOfficial(deps: OfficialDeps) {
  const { store, record, customers, publicUrl, bus, clock, logger } = deps
  const { now } = clock
  const http = createGraphHttp({ url: deps.graph.url, timeoutMs: deps.graph.timeoutMs, clock })
  const context: OfficialContext = {
    store,
    accounts: createAccounts({ senders: store.senders, vault: deps.vault }),
    client: createGraphClient(http, deps.graph.version),
    record,
    customers,
    publicUrl,
    background: createBackground({ clock, logger }),
    bus,
    clock,
    logger,
  }
  const { accounts, background } = context
  const catalogue = createCatalogue(context)
  let refusedCallbacks: { count: number; lastAt: number } | null = null
  const account: AccountContext = {
    ...context,
    catalogue,
    probe: createProbe({ dispatcher: deps.dispatcher, clock }),
    refusedCallbacks: () => refusedCallbacks,
    graphVersion: deps.graph.version,
    reportState: deps.reportState,
    awakeSince: deps.awakeSince,
  }
  const sending: TemplateContext = {
    ...context,
    accepting: deps.accepting,
    catalogue,
    targetOf: createTemplateTargets(context, catalogue, deps.sandboxPost),
    backoff: createRateLimitBackoff(now),
    onAccepted: (sender) => noteAccepted(account, sender),
    onRefused: (sender, recipient, error) => noteRefused(account, sender, recipient, error),
    allPaused: deps.allPaused,
    newId: deps.newId,
  }
  const inbox = createMetaInbox(
    context,
    (of, update) => applyNews(account, of, update),
    (senderId, error, at) => noteUndelivered(account, senderId, error, at),
  )
  const secondRoad = createSecondRoad(sending, deps.isOurs)
  const stopListening = [followSenders(context, secondRoad.follow), settleEarlyStatuses(context, inbox)]

  return {
    accounts: {
      ids: accounts.ids,
      seal: accounts.seal,
      view: (sender) => officialView(account, sender),
      saved(sender, { app_secret }) {
        // The new secret may fit the callbacks that were refused.
        if (app_secret !== undefined) refusedCallbacks = null
        background.run('the check of a saved sender', () => checkSender(account, sender))
      },
    } satisfies OfficialAccountsPort,
    templates: {
      send: (send) => sendTemplate(sending, send),
      queue: (send) => queueTemplate(sending, send),
      list: catalogue.list,
      sync: async (sender) => catalogue.sync(accountOf(context, sender)),
      check: (sender) => checkSender(account, sender),
      tryRoad: (sender, request) => tryRoad(sending, sender, request),
      register: (sender, pin) => registerNumber(account, sender, pin),
      setUpCallbacks: (sender) => setUpCallbacks(account, sender),
    } satisfies TemplatesPort,
    /** Returns the channel for queued templates of an official or sandbox sender. */
    laneChannel: (sender: SenderRow): Channel => createLaneChannel(sending, sender),
    listener: createListener(context, inbox, () => {
      refusedCallbacks = { count: (refusedCallbacks?.count ?? 0) + 1, lastAt: now() }
    }),
    concernFacts: (senders: readonly SenderRow[]) => concernFacts(account, senders),
    ignoredFields: inbox.ignoredFields,
    /** Returns the end of the used version of Meta's API if it is near, else null. */
    versionEndsAt: (): number | null => endingVersion(deps.graph.version, now())?.endsAt ?? null,
    /** Applies what the last run left, and starts the periodic jobs. */
    async start(): Promise<void> {
      await inbox.start()
      for (const sender of store.senders.list()) secondRoad.follow(sender)
      startSchedule(context, {
        lookAfterStaleMessages: createStaleMessages(context, deps),
        syncTemplates: catalogue.sync,
        check: ({ code }) => checkNow(account, code),
        refresh: (senderId) => followState(account, senderId),
        applyKept: deps.sharesInbox ? inbox.wake : undefined,
        settleEarlyStatuses: inbox.settleRipe,
      })
    },
    async stop(ms: number): Promise<void> {
      for (const stop of stopListening) stop()
      const jobs = background.stop()
      await inbox.stop()
      await http.close(ms)
      await jobs
      await deps.dispatcher.destroy()
    },
  }
}

/** Wakes the lane of an official sender when the sender changes, and tells the second road. */
function followSenders({ store, bus }: OfficialContext, follow: (sender: SenderRow) => void): () => void {
  return bus.on('sender', ({ code }) => {
    const sender = store.senders.byCode(code)
    if (sender?.kind === 'official') bus.emit('lane', { senderId: sender.id })
    if (sender !== undefined) follow(sender)
  })
}

/** Applies statuses that came before Meta's answer, as soon as the message is known. */
function settleEarlyStatuses({ bus, background }: OfficialContext, inbox: MetaInbox): () => void {
  return bus.on('message', ({ laneId, status, channel, providerMessageId }) => {
    if (channel !== 'template' || status !== 'accepted' || providerMessageId === null) return
    background.run('early statuses', () => inbox.settleEarly(laneId, providerMessageId))
  })
}

const STALE_EVERY = HOUR
const KEPT_EVERY = 5 * MINUTE
const LOOKED_FIRST_AFTER = MINUTE
const LOOKED_EVERY = HOUR
const SYNC_EVERY = 6 * HOUR
const CHECK_EVERY = DAY

interface ScheduledJobs {
  lookAfterStaleMessages: () => Promise<void>
  syncTemplates: (account: OfficialAccount) => Promise<unknown>
  check: (account: OfficialAccount) => Promise<void>
  /** Reports the state again that follows from the stored facts. */
  refresh: (senderId: number) => Promise<void>
  /** Applies callbacks that an ended node stored; undefined if there are no other nodes. */
  applyKept: (() => void) | undefined
  /** Applies early statuses that could not be applied when their message became known. */
  settleEarlyStatuses: () => Promise<void>
}

/** Starts the periodic jobs for official senders. */
export function startSchedule({ store, accounts, background, clock }: OfficialContext, jobs: ScheduledJobs): void {
  const { lookAfterStaleMessages, applyKept } = jobs
  const { now } = clock

  async function lookAfterStates(): Promise<void> {
    for (const { senderId } of accounts.list()) await jobs.refresh(senderId)
  }

  /**
   * True if a job is due by its stored time, because no run of Kurir may last a whole day. A time
   * in the future was written before the clock was set back.
   */
  function isDue(last: number | null, every: number): boolean {
    return last === null || last > now() || now() - last >= every
  }

  /** Runs a job for each account, so that one refused by Meta does not stop the others. */
  async function lookAtAccounts(): Promise<void> {
    for (const account of accounts.list()) {
      const { checks, checkedAt, templatesSyncedAt } = await store.officialFacts.get(account.senderId)
      const isFine = checks.every(({ ok }) => ok)
      const wasAway = checks.some(({ finding }) => finding.code === 'meta_away')
      // A check reads the templates too. After trouble, check sooner to notice its end.
      if (isDue(checkedAt, isFine ? CHECK_EVERY : wasAway ? LOOKED_EVERY : SYNC_EVERY))
        background.run('the daily check', () => jobs.check(account))
      else if (isDue(templatesSyncedAt, SYNC_EVERY)) background.run('templates', () => jobs.syncTemplates(account))
    }
  }

  background.run('states of accounts', lookAfterStates)
  background.every('states of accounts', HOUR, lookAfterStates)
  background.run('stale template messages', lookAfterStaleMessages)
  background.every('stale template messages', STALE_EVERY, lookAfterStaleMessages)
  if (applyKept !== undefined) background.every('callbacks that were kept', KEPT_EVERY, async () => applyKept())
  background.every('early statuses', HOUR, jobs.settleEarlyStatuses)
  // Give the network and the tunnel time to start.
  background.later('the first look at accounts', LOOKED_FIRST_AFTER, lookAtAccounts)
  background.every('looks at accounts', LOOKED_EVERY, lookAtAccounts)
}
