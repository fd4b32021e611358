import type { Dispatcher } from 'undici'
import { ApiError } from '../../contract/errors.ts'
import type { Bus } from '../../lib/bus.ts'
import { type Clock, isoTimeOrNull } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Recorder } from '../../messages/record.ts'
import type { StateReport } from '../../senders/connection.ts'
import type { OfficialDesk } from '../../senders/service.ts'
import type { Store } from '../../store/index.ts'
import type { SenderRow } from '../../store/sqlite/senders.ts'
import { createAccounts, idsOf, type OfficialAccount } from './accounts.ts'
import { createCatalogue } from './catalogue.ts'
import { createChecks } from './checks.ts'
import { createGraphClient } from './graph-client.ts'
import { createGraphHttp } from './graph-http.ts'
import { createMetaInbox } from './inbox.ts'
import { createListener } from './listener.ts'
import { createProbe } from './public-url-check.ts'
import { createWaits } from './rate-limit-backoff.ts'
import { createSendTemplate, type TemplateWay } from './send.ts'
import type { SetupReason } from './setup-state.ts'
import { createOverdue } from './stale-messages.ts'
import type { TemplateUpdate } from './updates.ts'
import { createWarnings } from './warnings.ts'

const HOUR = 3_600_000
const SYNC_EVERY = 6 * HOUR

export interface OfficialDeps {
  store: Store
  vault: Vault
  graph: { url: string; version: string; timeoutMs: number }
  record: Recorder
  reportState: (senderId: number, report: StateReport) => void
  /** What answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateWay['post']
  publicUrl: () => string | null
  /** For the one call that goes to the owner's public address. */
  dispatcher: Dispatcher
  newId: () => string
  bus: Bus
  clock: Clock
  logger: Logger
}

export type OfficialChannel = ReturnType<typeof createOfficialChannel>

/** Everything about official senders, put together. */
export function createOfficialChannel(deps: OfficialDeps) {
  const { store, record, publicUrl, bus, clock, logger } = deps
  const { now } = clock
  const http = createGraphHttp({ url: deps.graph.url, timeoutMs: deps.graph.timeoutMs, clock })
  const client = createGraphClient(http, deps.graph.version)
  const accounts = createAccounts({ senders: store.senders, vault: deps.vault })
  const facts = store.official
  const catalogue = createCatalogue({ cache: store.templates, facts, client, now })
  const probe = createProbe({ dispatcher: deps.dispatcher, clock })
  const runChecks = createChecks({ client, catalogue, facts, probe, publicUrl, now })
  const work = new Set<Promise<void>>()
  const timers = new Map<string, () => void>()
  let stopped = false

  const inbox = createMetaInbox({
    ...{ inbox: store.inbox, messages: store.messages, facts, record, accounts: accounts.list, clock, logger },
    async onTemplate(account: OfficialAccount, update: TemplateUpdate) {
      await catalogue.update(account, update)
      bus.emit('sender', { code: account.code })
    },
  })
  const overdue = createOverdue({
    ...{ upkeep: store.upkeep, facts, inbox: store.inbox, client, accounts: accounts.list, record, now },
  })

  function noteAccess(sender: SenderRow, allowed: boolean): void {
    if (sender.kind !== 'official' || (sender.state === 'connected') === allowed) return
    // A message gets out without the app secret; the statuses do not get in.
    if (allowed && sender.reason === ('wrong_app_secret' satisfies SetupReason)) return
    deps.reportState(sender.id, {
      state: allowed ? 'connected' : 'offline',
      reason: allowed ? null : ('token_refused' satisfies SetupReason),
    })
  }

  function wayOf(sender: SenderRow): TemplateWay {
    if (sender.kind === 'sandbox') return { problems: async () => [], post: deps.sandboxPost }
    const account = accounts.of(sender)
    return {
      problems: (name, language, components) => catalogue.problems(account, name, language, components),
      post: (message) => client.send(account, message),
    }
  }

  async function check(sender: SenderRow): Promise<void> {
    const { number, setup } = await runChecks(accounts.of(sender))
    if (setup !== null) {
      const phone = number?.displayPhoneNumber?.replace(/\D/g, '')
      deps.reportState(sender.id, {
        state: setup.ready ? 'connected' : 'offline',
        reason: setup.ready ? null : setup.reason,
        ...(phone === undefined ? {} : { phone }),
        ...(number?.verifiedName == null ? {} : { accountName: number.verifiedName }),
      })
    }
    bus.emit('sender', { code: sender.code })
  }

  /** What nobody waits for. Meta being away is not worth more than a line: it is tried again. */
  function inBackground(what: string, job: () => Promise<unknown>): void {
    if (stopped) return
    const running = job()
      .catch((error: unknown) => {
        if (!stopped) logger.warn({ err: error }, `${what} did not succeed`)
      })
      .then(() => void work.delete(running))
    work.add(running)
  }

  function every(name: string, ms: number, job: () => Promise<unknown>): void {
    timers.set(
      name,
      clock.after(ms, () => {
        inBackground(name, job)
        every(name, ms, job)
      }),
    )
  }

  async function syncAll(): Promise<void> {
    for (const account of accounts.list()) await catalogue.sync(account)
  }

  const desk: OfficialDesk = {
    columns: (id, old, request) => accounts.columns(id, old, request),
    view(sender) {
      const { checks, checkedAt, templatesSyncedAt, lastStatusAt } = facts.get(sender.id)
      return {
        ...idsOf(sender),
        checks,
        checked_at: isoTimeOrNull(checkedAt),
        templates_synced_at: isoTimeOrNull(templatesSyncedAt),
        last_status_at: isoTimeOrNull(lastStatusAt),
      }
    },
    saved: (sender) => inBackground('the check of a saved sender', () => check(sender)),
  }

  function official(sender: SenderRow): OfficialAccount {
    if (sender.kind === 'official') return accounts.of(sender)
    throw new ApiError('sender_kind_mismatch', `${sender.code} is not an official sender.`)
  }

  return {
    desk,
    send: createSendTemplate({
      ...{ wayOf, messages: store.messages, calls: store.calls, idempotency: store.idempotency, record },
      ...{ settleEarly: inbox.settleEarly, noteAccess, waits: createWaits(now), lanes: store.lanes },
      announce: (seq) => bus.emit('message', { seq, status: 'sending', channel: 'template' }),
      ...{ newId: deps.newId, now, logger },
    }),
    templates: catalogue.list,
    sync: async (sender: SenderRow) => catalogue.sync(official(sender)),
    async check(sender: SenderRow): Promise<void> {
      official(sender)
      await check(sender)
    },
    listener: createListener({ accounts: accounts.list, receive: inbox.receive, logger }),
    warnings: createWarnings({ accounts, facts, catalogue, publicUrl, now }),
    /** Takes up what the last run left, and begins what is done now and then. */
    async start(): Promise<void> {
      const attemptEnds = { outcome: 'unknown', reason: 'Kurir was stopped in the middle' }
      await Promise.all(
        store.messages
          .interrupted('template')
          .map(({ seq }) => record.change({ seq }, () => ({ at: now(), attemptEnds }))),
      )
      await inbox.start()
      inBackground('looking after overdue template messages', overdue)
      every('looking after overdue template messages', HOUR, overdue)
      every('reading the templates', SYNC_EVERY, syncAll)
    },
    async stop(ms: number): Promise<void> {
      stopped = true
      for (const cancel of timers.values()) cancel()
      await inbox.stop()
      await http.close(ms)
      await Promise.all(work)
      await deps.dispatcher.destroy()
    },
  }
}
