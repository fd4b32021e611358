import type { Express } from 'express'
import type { Dispatcher } from 'undici'
import { type Background, createBackground } from '../../lib/background.ts'
import type { Bus } from '../../lib/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { AcceptContext } from '../../messages/accept.ts'
import type { Channel } from '../../messages/channel.ts'
import type { Recorder } from '../../messages/record.ts'
import type { StateReport } from '../../senders/connection.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { OfficialAccountsPort, OfficialConcernFacts, TemplatesPort } from '../../senders/official.ts'
import type { SenderRow, Store } from '../../store/index.ts'
import { createChecks } from './account/checks.ts'
import { createConcernFacts } from './account/concern-facts.ts'
import { createNews } from './account/news.ts'
import { createProbe } from './account/public-url-check.ts'
import { startSchedule } from './account/schedule.ts'
import { createSendEffects } from './account/send-effects.ts'
import { createOfficialSenders } from './account/sender.ts'
import { createSenderChecks } from './account/sender-checks.ts'
import { createAccounts } from './graph/accounts.ts'
import type { OfficialContext } from './graph/context.ts'
import { createGraphClient } from './graph/graph-client.ts'
import { createGraphHttp } from './graph/graph-http.ts'
import { createRateLimitBackoff } from './graph/rate-limit-backoff.ts'
import { endingVersion } from './graph/versions.ts'
import { createMetaInbox, type MetaInbox } from './inbox/inbox.ts'
import { createListener } from './inbox/listener.ts'
import { createLaneChannel } from './sending/lane-channel.ts'
import { createSecondRoad } from './sending/second-road.ts'
import { createSendTemplate } from './sending/send.ts'
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
  /** Answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateTarget['post']
  customers: CustomersPort
  /** True while the owner has paused all senders. */
  allPaused: () => boolean
  /** True if this program sends for a sender. */
  isOurs: (senderId: number) => boolean
  /** True if other programs keep callbacks of Meta in the same store. */
  sharesInbox: boolean
  publicUrl: () => string | null
  /** For the one call that goes to the owner's public address. */
  dispatcher: Dispatcher
  newId: () => string
  /** Since the start, or since the PC slept. */
  awakeSince: () => number
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}

export interface Official {
  accounts: OfficialAccountsPort
  templates: TemplatesPort
  /** For Meta's callbacks. */
  listener: Express
  /** Channel of the queued templates of an official sender or a sandbox. */
  laneChannel(sender: SenderRow): Channel
  /** Facts about official senders that may need the owner, by their ids. */
  concernFacts(senders: readonly SenderRow[]): Promise<ReadonlyMap<number, OfficialConcernFacts>>
  /**
   * When Meta switches off the version of its API that is used, where that is near. Milliseconds
   * since 1970.
   */
  versionEndsAt(): number | null
  /** Fields of Meta's callbacks since the start that Kurir ignores. */
  ignoredFields: MetaInbox['ignoredFields']
  /** Takes up what the last run left, and begins what is done from time to time. */
  start(): Promise<void>
  stop(ms: number): Promise<void>
}

/** Everything about official senders, put together. */
export function createOfficial(deps: OfficialDeps): Official {
  const { store, record, customers, publicUrl, bus, clock, logger } = deps
  const { now } = clock
  const http = createGraphHttp({ url: deps.graph.url, timeoutMs: deps.graph.timeoutMs, clock })
  const client = createGraphClient(http, deps.graph.version)
  const accounts = createAccounts({ senders: store.senders, vault: deps.vault })
  const background = createBackground({ clock, logger })
  const context: OfficialContext = {
    store,
    accounts,
    client,
    record,
    customers,
    publicUrl,
    background,
    bus,
    clock,
    logger,
  }
  const facts = store.officialFacts
  const catalogue = createCatalogue(context)
  const probe = createProbe({ dispatcher: deps.dispatcher, clock })
  let refusedCallbacks: { count: number; lastAt: number } | null = null
  const senders = createOfficialSenders(context, {
    runChecks: createChecks({ client, catalogue, facts, probe, publicUrl, now }),
    refusedCallbacks: () => refusedCallbacks,
    graphVersion: deps.graph.version,
    reportState: deps.reportState,
  })
  const checks = createSenderChecks(context, senders)
  const inbox = createMetaInbox({
    inbox: store.inbox,
    messages: store.messages,
    facts,
    record,
    accounts: accounts.list,
    onNews: createNews(context, { catalogue, onChange: checks.followState, checkAgain: checks.checkLater }),
    customers,
    clock,
    logger,
  })

  const targetOf = createTemplateTargets(context, catalogue, deps.sandboxPost)
  const { onAccepted, onRefused } = createSendEffects(context, senders)
  const backoff = createRateLimitBackoff(now)
  const send = createSendTemplate({
    targetOf,
    accepting: deps.accepting,
    record,
    backoff,
    onAccepted,
    onRefused,
    allPaused: deps.allPaused,
    newId: deps.newId,
    now,
    logger,
  })

  let wakes = 0
  /** Channel of a sender's queued template messages. */
  function laneChannel({ id, code }: SenderRow): Channel {
    return createLaneChannel({
      senderId: id,
      sender: () => store.senders.get(id),
      targetOf,
      backoff,
      onAccepted,
      onRefused,
      wakeAfter(ms, then) {
        wakes += 1
        background.later(`the lane of ${code}, ${wakes}`, ms, async () => {
          then()
          bus.emit('lane', { senderId: id })
        })
      },
      now,
    })
  }

  const { allPaused, isOurs } = deps
  const secondRoad = createSecondRoad(context, { catalogue, targetOf, allPaused, isOurs })
  const stopListening = [followSenders(deps), settleEarlyStatuses(deps, inbox, background), secondRoad.listen()]

  return {
    accounts: {
      ids: accounts.ids,
      seal: accounts.seal,
      view: senders.view,
      saved: (sender) => background.run('the check of a saved sender', () => senders.check(sender)),
    },
    templates: {
      send: send.now,
      queue: send.queue,
      list: catalogue.list,
      sync: async (sender) => catalogue.sync(senders.accountOf(sender)),
      check: senders.check,
      tryRoad: secondRoad.try,
      register: senders.register,
      setUpCallbacks: senders.setUpCallbacks,
    },
    laneChannel,
    listener: createListener({
      accounts: accounts.list,
      receive: inbox.receive,
      onRefused() {
        refusedCallbacks = { count: (refusedCallbacks?.count ?? 0) + 1, lastAt: now() }
      },
      logger,
    }),
    concernFacts: createConcernFacts({
      accounts,
      facts,
      senders: store.senders,
      messages: store.messages,
      catalogue,
      refusedCallbacks: () => refusedCallbacks?.count ?? 0,
      publicUrl,
      awakeSince: deps.awakeSince,
      now,
    }),
    ignoredFields: inbox.ignoredFields,
    versionEndsAt: () => endingVersion(deps.graph.version, now())?.endsAt ?? null,
    async start() {
      await inbox.start()
      secondRoad.start()
      startSchedule({
        background,
        lookAfterStaleMessages: createStaleMessages(context, deps),
        accounts: accounts.list,
        syncTemplates: catalogue.sync,
        check: ({ code }) => checks.checkNow(code),
        facts,
        refresh: checks.followState,
        applyKept: deps.sharesInbox ? inbox.wake : undefined,
        settleEarlyStatuses: inbox.settleRipe,
        inbox: store.inbox,
        holds: store.marketingHolds,
        now,
      })
    },
    async stop(ms) {
      for (const stop of stopListening) stop()
      const jobs = background.stop()
      await inbox.stop()
      await http.close(ms)
      await jobs
      await deps.dispatcher.destroy()
    },
  }
}

/** A lane looks again when Meta lets its sender in. */
function followSenders({ store, bus }: OfficialDeps): () => void {
  return bus.on('sender', ({ code }) => {
    const sender = store.senders.byCode(code)
    if (sender?.kind === 'official') bus.emit('lane', { senderId: sender.id })
  })
}

/** Statuses that were quicker than Meta's answer find their message. */
function settleEarlyStatuses({ bus }: OfficialDeps, inbox: MetaInbox, background: Background): () => void {
  return bus.on('message', ({ laneId, status, channel, providerMessageId }) => {
    if (channel !== 'template' || status !== 'accepted' || providerMessageId === null) return
    background.run('early statuses', () => inbox.settleEarly(laneId, providerMessageId))
  })
}
