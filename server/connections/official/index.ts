import type { Express } from 'express'
import type { Dispatcher } from 'undici'
import type { ProviderError } from '../../contract/errors.ts'
import { createBackground } from '../../lib/background.ts'
import type { Bus } from '../../lib/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { HOUR, MINUTE } from '../../lib/time.ts'
import type { Vault } from '../../lib/vault.ts'
import type { QueueMessage } from '../../messages/accept.ts'
import type { Channel } from '../../messages/channel.ts'
import type { Recorder } from '../../messages/record.ts'
import type { StateReport } from '../../senders/connection.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { OfficialAccountsPort, OfficialConcernFacts, TemplatesPort } from '../../senders/official.ts'
import type { SenderRow, Store } from '../../store/index.ts'
import { createAccounts } from './accounts.ts'
import { createCallbackSetup } from './callback-setup.ts'
import { createCatalogue } from './catalogue.ts'
import { createChecks } from './checks.ts'
import { createConcernFacts } from './concern-facts.ts'
import { createGraphClient } from './graph-client.ts'
import { createGraphHttp } from './graph-http.ts'
import { createIgnoredFields, type IgnoredFields } from './ignored-fields.ts'
import { createMetaInbox } from './inbox.ts'
import { createLaneChannel } from './lane-channel.ts'
import { createListener } from './listener.ts'
import { createNews } from './news.ts'
import { createProbe } from './public-url-check.ts'
import { createRateLimitBackoff } from './rate-limit-backoff.ts'
import { refusalEffects } from './refusals.ts'
import { startSchedule } from './schedule.ts'
import { createSecondRoad, fitProblems } from './second-road.ts'
import { createSendTemplate, problemOf, type TemplateTarget } from './send.ts'
import { createOfficialSenders } from './sender.ts'
import { createStaleMessages } from './stale-messages.ts'
import { endingVersion } from './versions.ts'

export interface OfficialDeps {
  store: Pick<
    Store,
    | 'senders'
    | 'messages'
    | 'officialFacts'
    | 'templates'
    | 'inbox'
    | 'marketingHolds'
    | 'sendingState'
    | 'contacts'
    | 'secondRoads'
  >
  vault: Vault
  graph: { url: string; version: string; timeoutMs: number }
  queueMessage: QueueMessage
  record: Recorder
  reportState: (senderId: number, report: StateReport) => void
  /** What answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateTarget['post']
  customers: CustomersPort
  /** Whether the owner paused all senders. */
  allPaused: () => boolean
  publicUrl: () => string | null
  /** For the one call that goes to the owner's public address. */
  dispatcher: Dispatcher
  newId: () => string
  bus: Bus
  clock: Clock
  logger: Logger
}

export interface Official {
  accounts: OfficialAccountsPort
  templates: TemplatesPort
  /** For Meta's callbacks. */
  listener: Express
  /** Where the queued template messages of an official sender or a sandbox go. */
  laneChannel(sender: SenderRow): Channel
  /** What may need the owner of an official sender. */
  concernFacts(sender: SenderRow): Promise<OfficialConcernFacts>
  /** When Meta switches off the version of its API that is used, where that is near. Milliseconds since 1970. */
  versionEndsAt(): number | null
  /** What Meta called back with, since the start, that nothing is done about. */
  ignoredFields: IgnoredFields['list']
  /** Takes up what the last run left, and begins what is done from time to time. */
  start(): Promise<void>
  stop(ms: number): Promise<void>
}

const TRY_AGAIN_AFTER = 10 * MINUTE
const CHECK_AFTER = MINUTE

/** Everything about official senders, put together. */
export function createOfficial(deps: OfficialDeps): Official {
  const { store, record, publicUrl, bus, clock, logger } = deps
  const { now } = clock
  const facts = store.officialFacts
  const http = createGraphHttp({ url: deps.graph.url, timeoutMs: deps.graph.timeoutMs, clock })
  const client = createGraphClient(http, deps.graph.version)
  const accounts = createAccounts({ senders: store.senders, vault: deps.vault })
  const background = createBackground({ clock, logger })
  const tryLater = (name: string, job: () => Promise<void>) => background.later(name, TRY_AGAIN_AFTER, job)
  const catalogue = createCatalogue({ templates: store.templates, facts, client, tryLater, now })
  const probe = createProbe({ dispatcher: deps.dispatcher, clock })
  const runChecks = createChecks({ client, catalogue, facts, probe, publicUrl, now })
  const ignoredFields = createIgnoredFields()
  let refusedCallbacks: { count: number; lastAt: number } | null = null
  const senders = createOfficialSenders({
    senders: store.senders,
    accounts,
    facts,
    messages: store.messages,
    client,
    runChecks,
    setUpCallback: createCallbackSetup({ client }),
    publicUrl,
    refusedCallbacks: () => refusedCallbacks,
    graphVersion: deps.graph.version,
    reportState: deps.reportState,
    bus,
    now,
  })

  /** Shows the state that follows from what is stored, now and when it ends. */
  async function followState(senderId: number): Promise<void> {
    await senders.refresh(senderId)
    const left = ((await senders.endsAt(senderId)) ?? 0) - now()
    if (left > 0 && left < HOUR)
      background.later(`the end of a state of ${senderId}`, left, () => followState(senderId))
  }

  /** Meta's news come in bursts; one check answers them all. */
  function checkLater({ code }: { code: string }): void {
    background.later(`the check of ${code}`, CHECK_AFTER, () => checkNow(code))
  }
  async function checkNow(code: string): Promise<void> {
    const sender = store.senders.byCode(code)
    if (sender !== undefined) await senders.check(sender)
  }
  const applyNews = createNews({
    facts,
    catalogue,
    phoneOf: (senderId) => store.senders.get(senderId)?.phone ?? null,
    onChange: followState,
    checkAgain: checkLater,
    async onPreference({ senderId }, { recipient, wants, occurredAt }) {
      if (recipient === null) return
      await deps.customers.preference({ senderId, recipient, wants, at: occurredAt ?? now() })
    },
    now,
  })
  const inbox = createMetaInbox({
    inbox: store.inbox,
    messages: store.messages,
    facts,
    record,
    accounts: accounts.list,
    async onNews(account, update) {
      await applyNews(account, update)
      bus.emit('sender', { code: account.code })
    },
    customers: deps.customers,
    onIgnored: ignoredFields.add,
    clock,
    logger,
  })

  function targetOf(sender: SenderRow): TemplateTarget {
    if (sender.kind === 'sandbox') {
      return {
        problems: async () => [],
        heldUntil: async () => null,
        categoryOf: async () => null,
        post: deps.sandboxPost,
      }
    }
    const account = accounts.of(sender)
    const categoryOf = async (name: string, language: string) =>
      (await catalogue.find(sender.id, name, language))?.category?.toUpperCase() ?? null
    return {
      problems: (name, language, components) => catalogue.problems(account, name, language, components),
      categoryOf,
      async heldUntil(recipient, name, language) {
        if ((await categoryOf(name, language)) !== 'MARKETING') return null
        return store.marketingHolds.until(sender.id, recipient, now())
      },
      post: (message) => client.send(account, message),
    }
  }

  /** What a send says about its sender and recipient comes beside its outcome, which must not be lost with it. */
  async function noted<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      logger.error({ err: error }, 'what a template send says about its sender could not be written')
      return undefined
    }
  }
  const onAccepted = (sender: SenderRow): Promise<void> => noted(senders.accepted(sender))
  async function onRefused(sender: SenderRow, recipient: string, error: ProviderError): Promise<boolean | undefined> {
    if (refusalEffects(error, now()).optedOut) {
      await noted(deps.customers.preference({ senderId: sender.id, recipient, wants: false, at: now() }))
    }
    return noted(senders.refused(sender, error))
  }

  const backoff = createRateLimitBackoff(now)
  const send = createSendTemplate({
    targetOf,
    queueMessage: deps.queueMessage,
    record,
    backoff,
    settleEarly: inbox.settleEarly,
    onAccepted,
    onRefused,
    allPaused: deps.allPaused,
    newId: deps.newId,
    now,
    logger,
  })
  const lookAfterStaleMessages = createStaleMessages({
    messages: store.messages,
    facts,
    inbox: store.inbox,
    client,
    accounts: accounts.list,
    record,
    now,
  })

  /** Where the queued template messages of a sender go. */
  function laneChannel({ id, code }: SenderRow): Channel {
    return createLaneChannel({
      senderId: id,
      sender: () => store.senders.get(id),
      targetOf,
      problemOf: (sender, message) => problemOf(targetOf(sender), message, now()),
      backoff,
      onAccepted,
      onRefused: async (sender, recipient, error) => (await onRefused(sender, recipient, error)) ?? false,
      wakeAfter: (ms) => background.later(`the lane of ${code}`, ms, async () => bus.emit('lane', { senderId: id })),
      now,
    })
  }

  /** Lanes look again when Meta lets their sender in; statuses that were quicker than an answer find their message. */
  function listen(): () => void {
    const stops = [
      bus.on('sender', ({ code }) => {
        const sender = store.senders.byCode(code)
        if (sender?.kind === 'official') bus.emit('lane', { senderId: sender.id })
      }),
      bus.on('message', ({ seq, status, channel }) => {
        if (channel !== 'template' || status !== 'accepted') return
        background.run('early statuses', async () => {
          const message = await store.messages.find({ seq })
          if (message?.providerMessageId != null) await inbox.settleEarly(message.laneId, message.providerMessageId)
        })
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }
  const secondRoad = createSecondRoad({
    store,
    catalogue,
    problems: async (sender, fit) => [
      ...fitProblems(fit),
      ...(await targetOf(sender).problems(fit.name, fit.language, fit.components)),
    ],
    record,
    allPaused: deps.allPaused,
    background,
    bus,
    now,
  })
  const stopListening = [listen(), secondRoad.listen()]

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
      now,
    }),
    ignoredFields: ignoredFields.list,
    versionEndsAt: () => endingVersion(deps.graph.version, now())?.endsAt ?? null,
    async start() {
      await inbox.start()
      secondRoad.start()
      startSchedule({
        background,
        lookAfterStaleMessages,
        accounts: accounts.list,
        syncTemplates: catalogue.sync,
        check: ({ code }) => checkNow(code),
        refresh: followState,
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
