import { ApiError } from '../../../contract/errors.ts'
import type { SenderView } from '../../../contract/senders.ts'
import { DAY, HOUR, isoTime, isoTimeOrNull, MINUTE } from '../../../lib/clock.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import type { OfficialFacts, SenderRow } from '../../../store/index.ts'
import { idsOf, type OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { callError } from '../graph/errors.ts'
import { versionEnd } from '../graph/graph-client.ts'
import type { NumberHealth } from '../graph/graph-shapes.ts'
import { runChecks, statusesCheck } from './checks.ts'
import type { AccountContext } from './context.ts'
import { accountAt, changeFacts, goodStanding, isNameApproval, maySend, withLimit } from './sender-state.ts'
import { callbackUrl, setUpCallback } from './setup.ts'

// Meta's answer to a check may be older than its callbacks.
const CHECK_LAGS = HOUR
const CHECK_AFTER = MINUTE

/** @throws ApiError `sender_kind_mismatch`, `conflict` */
export function accountOf({ accounts }: OfficialContext, sender: SenderRow): OfficialAccount {
  if (sender.kind === 'official') return accounts.of(sender)
  throw new ApiError('sender_kind_mismatch', `${sender.code} is not an official sender.`)
}

/** Asks Meta about everything that a sender needs, and stores the findings. @throws ApiError */
export async function checkSender(context: AccountContext, sender: SenderRow): Promise<void> {
  const { number, setup } = await runChecks(context, accountOf(context, sender))
  const phone = number?.displayPhoneNumber?.replace(/\D/g, '')
  await changeFacts(
    context,
    sender.id,
    (before) => ({
      ...(setup === null ? {} : { setupReason: setup.ready ? null : setup.reason }),
      ...(number === null ? {} : afterCheck(before, number, context.clock.now())),
    }),
    {
      ...(phone ? { phone } : {}),
      ...(number?.verifiedName == null ? {} : { accountName: number.verifiedName }),
    },
  )
  context.bus.emit('sender', { code: sender.code })
}

export async function checkNow(context: AccountContext, code: string): Promise<void> {
  const sender = context.store.senders.byCode(code)
  if (sender !== undefined) await checkSender(context, sender)
}

/** Checks once for a burst of Meta's news. */
export const checkLater = (context: AccountContext, code: string): void =>
  context.background.later(`the check of ${code}`, CHECK_AFTER, () => checkNow(context, code))

/** Registers the number at Meta and checks it. @throws ApiError */
export async function registerNumber(context: AccountContext, sender: SenderRow, pin: string): Promise<void> {
  const outcome = await context.client.register(accountOf(context, sender), pin)
  if (outcome.kind !== 'answered') throw callError(outcome)
  await context.store.officialFacts.change(sender.id, ({ news }) => ({
    news: news.filter((each) => !isNameApproval(each)),
  }))
  await checkSender(context, sender)
}

/** Enters the public address of this PC at Meta and checks the sender. @throws ApiError */
export async function setUpCallbacks(context: AccountContext, sender: SenderRow): Promise<void> {
  const account = accountOf(context, sender)
  const base = context.publicUrl()
  if (base === null) {
    throw new ApiError(
      'conflict',
      'Meta has no address to call yet. Set up a tunnel to the webhook port and enter its https address in Settings first.',
    )
  }
  const address = { url: callbackUrl(base), verifyToken: account.verifyToken }
  const outcome = await setUpCallback(context.client, account, address)
  if (outcome.kind !== 'answered') throw callError(outcome)
  await checkSender(context, sender)
}

export async function officialView(context: AccountContext, sender: SenderRow): Promise<SenderView['official']> {
  const { store, clock, refusedCallbacks, graphVersion } = context
  const known = await store.officialFacts.get(sender.id)
  const { checks, checkedAt, templatesSyncedAt, lastStatusAt, number, account, news } = known
  const { waba_id } = idsOf(sender)
  const numbers = store.senders.list().filter(({ official }) => official?.waba_id === waba_id)
  const refused = refusedCallbacks()
  return {
    ...idsOf(sender),
    // A status may have come after the check.
    checks: checks.map((each) => (each.name === 'statuses' ? statusesCheck(lastStatusAt) : each)),
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
    people_24h: await countPeople(
      context,
      numbers.map(({ id }) => id),
    ),
    account: account && accountView(account, clock.now()),
    news: news.map(({ at, ...each }) => ({ ...each, at: isoTime(at) })),
    refused_callbacks: refused && { count: refused.count, last_at: isoTime(refused.lastAt) },
    graph_version: {
      version: graphVersion,
      ends_at: isoTimeOrNull(versionEnd(graphVersion)?.endsAt ?? null),
    },
  }
}

/**
 * Counts the people to whom numbers wrote in the last 24 hours. Resolves with null if that takes
 * too long, because a change that is stored must not be answered with an error.
 */
async function countPeople({ store, clock, logger }: AccountContext, ids: readonly number[]): Promise<number | null> {
  try {
    return await store.messages.peopleWrittenTo(ids, clock.now() - DAY)
  } catch (err) {
    if (!(err instanceof StorageError && err.problem === 'slow')) throw err
    logger.warn({ err }, 'the people of the last 24 hours could not be counted')
    return null
  }
}

type AccountView = NonNullable<NonNullable<SenderView['official']>['account']>

function accountView(account: NonNullable<OfficialFacts['account']>, now: number): AccountView {
  const { standing, reason, detail, since, from, until } = accountAt(account, now)
  return { standing, reason, detail, since: isoTime(since), from: isoTimeOrNull(from), until: isoTimeOrNull(until) }
}

/** Returns the facts that a check's findings about the number change. */
function afterCheck(before: OfficialFacts, found: NumberHealth, now: number): Partial<OfficialFacts> {
  const { number, account } = before
  const { quality, status, nameStatus, canSend, throughput, messagingLimit } = found
  const qualitySince = number !== null && quality === number.quality ? number.qualitySince : now
  const limit = messagingLimit ?? number?.limit ?? null
  const since = account?.from ?? account?.since ?? now
  // If Meta named no end, `LIMITED` counts as able to send too. If that is wrong, a refusal stops
  // the sender again.
  const sends = canSend === 'AVAILABLE' || (canSend === 'LIMITED' && account?.until === null)
  const isOver = account !== null && sends && since < now - CHECK_LAGS
  return {
    ...withLimit(before, {
      before: number?.limit ?? null,
      after: { quality, qualitySince, status, nameStatus, canSend, throughput, limit },
      at: now,
    }),
    ...(isOver && (account.from !== null || !maySend(account)) ? { account: goodStanding(now) } : {}),
  }
}
