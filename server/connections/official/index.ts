import type { Express } from 'express'
import type { Dispatcher } from 'undici'
import { createBackground } from '../../lib/background.ts'
import type { Bus } from '../../lib/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { QueueMessage } from '../../messages/accept.ts'
import type { Recorder } from '../../messages/record.ts'
import type { StateReport } from '../../senders/connection.ts'
import type { OfficialAccountsPort, OfficialConcernFacts, TemplatesPort } from '../../senders/official.ts'
import type { SenderRow, Store } from '../../store/index.ts'
import { createAccounts, type OfficialAccount } from './accounts.ts'
import { createCatalogue } from './catalogue.ts'
import { createChecks } from './checks.ts'
import { createConcernFacts } from './concern-facts.ts'
import { createGraphClient } from './graph-client.ts'
import { createGraphHttp } from './graph-http.ts'
import { createMetaInbox } from './inbox.ts'
import { createListener } from './listener.ts'
import { createProbe } from './public-url-check.ts'
import { createRateLimitBackoff } from './rate-limit-backoff.ts'
import { startSchedule } from './schedule.ts'
import { createSendTemplate, type TemplateTarget } from './send.ts'
import { createOfficialSenders } from './sender.ts'
import { createStaleMessages } from './stale-messages.ts'
import type { TemplateUpdate } from './updates.ts'
import { endingVersion } from './versions.ts'

export interface OfficialDeps {
  store: Pick<Store, 'senders' | 'messages' | 'officialFacts' | 'templates' | 'inbox'>
  vault: Vault
  graph: { url: string; version: string; timeoutMs: number }
  queueMessage: QueueMessage
  record: Recorder
  reportState: (senderId: number, report: StateReport) => void
  /** What answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateTarget['post']
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
  /** What may need the owner of an official sender. */
  concernFacts(sender: SenderRow): Promise<OfficialConcernFacts>
  /** When Meta switches off the version of its API that is used, where that is near. Milliseconds since 1970. */
  versionEndsAt(): number | null
  /** Takes up what the last run left, and begins what is done from time to time. */
  start(): Promise<void>
  stop(ms: number): Promise<void>
}

/** Everything about official senders, put together. */
export function createOfficial(deps: OfficialDeps): Official {
  const { store, record, publicUrl, bus, clock, logger } = deps
  const { now } = clock
  const facts = store.officialFacts
  const http = createGraphHttp({ url: deps.graph.url, timeoutMs: deps.graph.timeoutMs, clock })
  const client = createGraphClient(http, deps.graph.version)
  const accounts = createAccounts({ senders: store.senders, vault: deps.vault })
  const catalogue = createCatalogue({ templates: store.templates, facts, client, now })
  const probe = createProbe({ dispatcher: deps.dispatcher, clock })
  const runChecks = createChecks({ client, catalogue, facts, probe, publicUrl, now })
  const senders = createOfficialSenders({ accounts, facts, runChecks, reportState: deps.reportState, bus })
  const background = createBackground({ clock, logger })

  const inbox = createMetaInbox({
    inbox: store.inbox,
    messages: store.messages,
    facts,
    record,
    accounts: accounts.list,
    async onTemplate(account: OfficialAccount, update: TemplateUpdate) {
      await catalogue.update(account, update)
      bus.emit('sender', { code: account.code })
    },
    clock,
    logger,
  })

  function targetOf(sender: SenderRow): TemplateTarget {
    if (sender.kind === 'sandbox') return { problems: async () => [], post: deps.sandboxPost }
    const account = accounts.of(sender)
    return {
      problems: (name, language, components) => catalogue.problems(account, name, language, components),
      post: (message) => client.send(account, message),
    }
  }

  const send = createSendTemplate({
    targetOf,
    queueMessage: deps.queueMessage,
    record,
    backoff: createRateLimitBackoff(now),
    settleEarly: inbox.settleEarly,
    noteAccess: senders.noteAccess,
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

  /** The outcome of these is not known; their status comes by callback. */
  async function endInterrupted(): Promise<void> {
    const attemptEnds = { outcome: 'unknown', reason: 'Kurir was stopped in the middle' } as const
    const left = await store.messages.interrupted('template')
    await Promise.all(left.map(({ seq }) => record.change({ seq }, () => ({ at: now(), attemptEnds }))))
  }

  return {
    accounts: {
      ids: accounts.ids,
      seal: accounts.seal,
      view: senders.view,
      saved: (sender) => background.run('the check of a saved sender', () => senders.check(sender)),
    },
    templates: {
      send,
      list: catalogue.list,
      sync: async (sender) => catalogue.sync(senders.accountOf(sender)),
      check: senders.check,
    },
    listener: createListener({ accounts: accounts.list, receive: inbox.receive, logger }),
    concernFacts: createConcernFacts({ accounts, facts, messages: store.messages, catalogue, publicUrl, now }),
    versionEndsAt: () => endingVersion(deps.graph.version, now())?.endsAt ?? null,
    async start() {
      await endInterrupted()
      await inbox.start()
      startSchedule({ background, lookAfterStaleMessages, accounts: accounts.list, syncTemplates: catalogue.sync })
    },
    async stop(ms) {
      const jobs = background.stop()
      await inbox.stop()
      await http.close(ms)
      await jobs
      await deps.dispatcher.destroy()
    },
  }
}
