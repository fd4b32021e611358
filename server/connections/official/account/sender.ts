import { ApiError, type ProviderError } from '../../../contract/errors.ts'
import type { SenderView } from '../../../contract/senders.ts'
import { isoTime, isoTimeOrNull } from '../../../lib/clock.ts'
import { DAY, HOUR } from '../../../lib/time.ts'
import type { StateReport } from '../../../senders/connection.ts'
import type { OfficialFacts, SenderRow } from '../../../store/index.ts'
import { idsOf, type OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { callError } from '../graph/errors.ts'
import type { NumberHealth } from '../graph/graph-shapes.ts'
import { withLimit } from '../graph/messaging-limit.ts'
import { refusalEffects } from '../graph/refusals.ts'
import { versionEnd } from '../graph/versions.ts'
import { accountAt, afterAcceptance, afterRefusal, goodStanding, maySend } from './account-state.ts'
import { setUpCallback } from './callback-setup.ts'
import type { CheckResult } from './checks.ts'
import { isNameApproval } from './news.ts'
import { callbackUrl } from './public-url-check.ts'

// Meta's answers to a check may be older than its callbacks.
const CHECK_LAGS = HOUR

export type OfficialSenders = ReturnType<typeof createOfficialSenders>

export interface OfficialSenderDeps {
  runChecks: (account: OfficialAccount) => Promise<CheckResult>
  /** Count of this run. */
  refusedCallbacks: () => { count: number; lastAt: number } | null
  graphVersion: string
  reportState: (senderId: number, report: StateReport) => void
}

/**
 * Facts about official senders: whether Meta lets them in, findings of its checks, and its reports.
 */
export function createOfficialSenders(
  { store, accounts, client, publicUrl, bus, clock }: OfficialContext,
  deps: OfficialSenderDeps,
) {
  const { senders, messages, officialFacts: facts } = store
  const { runChecks, reportState } = deps
  const { now } = clock

  /** @throws ApiError `sender_kind_mismatch`, `conflict` */
  function accountOf(sender: SenderRow): OfficialAccount {
    if (sender.kind === 'official') return accounts.of(sender)
    throw new ApiError('sender_kind_mismatch', `${sender.code} is not an official sender.`)
  }

  /** Reports the state that follows from what is stored; `more` is what a check found beside it. */
  function report(senderId: number, known: OfficialFacts, more: Partial<StateReport> = {}): void {
    const sender = senders.get(senderId)
    if (sender === undefined) return
    const next = stateOf(known, now())
    const isNews = sender.state !== next.state || sender.reason !== next.reason || Object.keys(more).length > 0
    if (isNews) reportState(senderId, { ...next, ...more })
  }

  async function changed(
    senderId: number,
    decide: (before: OfficialFacts) => Partial<OfficialFacts>,
    more?: Partial<StateReport>,
  ): Promise<void> {
    report(senderId, await facts.change(senderId, decide), more)
  }

  async function check(sender: SenderRow): Promise<void> {
    const { number, setup } = await runChecks(accountOf(sender))
    const phone = number?.displayPhoneNumber?.replace(/\D/g, '')
    await changed(
      sender.id,
      (before) => ({
        ...(setup === null ? {} : { setupReason: setup.ready ? null : setup.reason }),
        ...(number === null ? {} : afterCheck(before, number, now())),
      }),
      {
        ...(phone ? { phone } : {}),
        ...(number?.verifiedName == null ? {} : { accountName: number.verifiedName }),
      },
    )
    bus.emit('sender', { code: sender.code })
  }

  return {
    accountOf,
    check,

    /** Meta took a message of this sender: whatever kept it from sending is over. */
    async accepted(sender: SenderRow): Promise<void> {
      if (sender.kind !== 'official' || sender.state === 'connected') return
      const known = await facts.get(sender.id)
      // A message gets out without the app secret; the statuses do not get in.
      const isReady = known.setupReason === null || known.setupReason === 'wrong_app_secret'
      // Most often nothing changes, and each message would wait for a commit of its own.
      if (isReady && (known.account === null || maySend(known.account))) return report(sender.id, known)
      await changed(sender.id, (before) => ({
        setupReason: before.setupReason === 'wrong_app_secret' ? before.setupReason : null,
        account: before.account && afterAcceptance(before.account, now()),
      }))
    },

    /**
     * Meta refused a message of this sender. Resolves with whether the reason is the sender and not
     * the message.
     */
    async refused(sender: SenderRow, error: ProviderError): Promise<boolean> {
      if (sender.kind !== 'official') return false
      const { setup } = refusalEffects(error, now())
      const before = await facts.get(sender.id)
      const account = afterRefusal(before.account ?? goodStanding(0), Number(error.code), now())
      const isLocked = !maySend(account) && (before.account === null || maySend(before.account))
      const isSender = setup !== null || !maySend(account)
      if (setup === null && !isLocked) return isSender
      await changed(sender.id, () => ({
        ...(setup === null ? {} : { setupReason: setup }),
        ...(isLocked ? { account } : {}),
      }))
      return isSender
    },

    /** After what is stored of a sender changed, or its time came. */
    async refresh(senderId: number): Promise<void> {
      report(senderId, await facts.get(senderId))
      const sender = senders.get(senderId)
      if (sender !== undefined) bus.emit('sender', { code: sender.code })
    },

    /** When the state of a sender ends by itself; null: it does not. */
    async endsAt(senderId: number): Promise<number | null> {
      const { account } = await facts.get(senderId)
      return account?.until ?? null
    },

    /** Registers the number at Meta and checks it. @throws ApiError */
    async register(sender: SenderRow, pin: string): Promise<void> {
      const outcome = await client.register(accountOf(sender), pin)
      if (outcome.kind !== 'answered') throw callError(outcome)
      await facts.change(sender.id, ({ news }) => ({ news: news.filter((each) => !isNameApproval(each)) }))
      await check(sender)
    },

    /** Enters the public address of this PC at Meta and checks the sender. @throws ApiError */
    async setUpCallbacks(sender: SenderRow): Promise<void> {
      const account = accountOf(sender)
      const base = publicUrl()
      if (base === null) {
        throw new ApiError(
          'conflict',
          'Meta has no address to call yet. Set up a tunnel to the webhook port and enter its https address in Settings first.',
        )
      }
      const address = { url: callbackUrl(base), verifyToken: account.verifyToken }
      const outcome = await setUpCallback(client, account, address)
      if (outcome.kind !== 'answered') throw callError(outcome)
      await check(sender)
    },

    async view(sender: SenderRow): Promise<SenderView['official']> {
      const { checks, checkedAt, templatesSyncedAt, lastStatusAt, number, account, news } = await facts.get(sender.id)
      const { waba_id } = idsOf(sender)
      const numbers = senders.list().filter(({ official }) => official?.waba_id === waba_id)
      const refused = deps.refusedCallbacks()
      return {
        ...idsOf(sender),
        checks,
        checked_at: isoTimeOrNull(checkedAt),
        templates_synced_at: isoTimeOrNull(templatesSyncedAt),
        last_status_at: isoTimeOrNull(lastStatusAt),
        number: number && {
          quality: number.quality,
          status: number.status,
          name_status: number.nameStatus,
          can_send: number.canSend,
          throughput: number.throughput,
          limit: number.limit,
        },
        people_24h: await messages.peopleWrittenTo(
          numbers.map(({ id }) => id),
          now() - DAY,
        ),
        account: account && accountView(account, now()),
        news: news.map(({ at, ...each }) => ({ ...each, at: isoTime(at) })),
        refused_callbacks: refused && { count: refused.count, last_at: isoTime(refused.lastAt) },
        graph_version: {
          version: deps.graphVersion,
          ends_at: isoTimeOrNull(versionEnd(deps.graphVersion)?.endsAt ?? null),
        },
      }
    },
  }
}

type AccountView = NonNullable<NonNullable<SenderView['official']>['account']>

function accountView(account: NonNullable<OfficialFacts['account']>, now: number): AccountView {
  const { standing, reason, detail, since, from, until } = accountAt(account, now)
  return { standing, reason, detail, since: isoTime(since), from: isoTimeOrNull(from), until: isoTimeOrNull(until) }
}

/**
 * The state of a sender by what is known of it: what its owner has to correct comes first. Pure.
 */
function stateOf({ setupReason, account }: OfficialFacts, now: number): StateReport {
  if (setupReason !== null) return { state: 'offline', reason: setupReason }
  const current = account && accountAt(account, now)
  if (current !== null && !maySend(current)) return { state: 'restricted', reason: current.reason }
  return { state: 'connected', reason: null }
}

/** Applies a check's findings about the number. Pure. */
function afterCheck(before: OfficialFacts, found: NumberHealth, now: number): Partial<OfficialFacts> {
  const { number, account } = before
  const { quality, status, nameStatus, canSend, throughput, messagingLimit } = found
  const isOver = account !== null && canSend === 'AVAILABLE' && account.since < now - CHECK_LAGS
  return {
    ...withLimit(before, {
      before: number?.limit ?? null,
      after: { quality, status, nameStatus, canSend, throughput, limit: messagingLimit ?? number?.limit ?? null },
      at: now,
    }),
    ...(isOver ? { account: afterAcceptance(account, now) } : {}),
  }
}
