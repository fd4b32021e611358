import { DAY, HOUR, MINUTE } from '../../../lib/clock.ts'
import type { OfficialConcernFacts } from '../../../senders/ports.ts'
import type { OfficialFacts } from '../../../store/index.ts'
import type { AccountContext } from './context.ts'
import { accountAt, goodStanding, isNameApproval } from './sender-state.ts'

// Meta reports within seconds, so a longer silence suggests that its callbacks do not arrive.
const QUIET_FOR = 10 * MINUTE
const LOOK_BACK = 7 * DAY
/** Meta repeats refused callbacks for days, so a day without one means that the trouble is over. */
const REFUSALS_FOR = DAY
/** Alerts are shown for this time. Later the owner has seen them or never will. */
const NEWS_FOR = 7 * DAY

interface Named {
  id: number
  code: string
}

/** Resolves with facts about official senders that may need the owner, by sender id. */
export async function concernFacts(
  context: AccountContext,
  asked: readonly Named[],
): Promise<ReadonlyMap<number, OfficialConcernFacts>> {
  const counts = new Map<string, Promise<number>>()
  const facts = asked.map(async (sender) => [sender.id, await factsOf(context, sender, counts)] as const)
  return new Map(await Promise.all(facts))
}

async function factsOf(
  context: AccountContext,
  { id, code }: Named,
  counts: Map<string, Promise<number>>,
): Promise<OfficialConcernFacts> {
  const { store, accounts, catalogue } = context
  const now = context.clock.now()
  const refused = context.refusedCallbacks()
  const known = await store.officialFacts.get(id)
  const { checks, number } = known
  const [statuses, messagingLimit] = await Promise.all([
    statusesOf(context, id, known),
    limitOf(context, id, known, counts),
  ])
  const templates = await catalogue.list(id)
  return {
    secretsUnreadable: accounts.unreadable().includes(code),
    failedChecks: checks.flatMap(({ name, ok }) => (ok ? [] : [name])),
    statuses,
    templatesLost: templates.filter(({ trouble }) => trouble !== null).length,
    templatesOfLowQuality: templates.flatMap(({ name, language, quality }) =>
      quality === 'RED' ? [`${name} (${language})`] : [],
    ),
    templatesRecategorized: templates.filter(({ coming_category }) => coming_category !== null).length,
    refusedCallbacks: refused !== null && refused.lastAt > now - REFUSALS_FOR ? refused.count : 0,
    account: accountConcerns(known, now),
    qualityIsRed: number?.quality === 'RED',
    qualitySince: number?.qualitySince ?? null,
    messagingLimit,
    tokenEndsAt: known.tokenEndsAt,
    messagingLimitChanged: limitChangeOf(known, now),
    nameApproved: nameApproval(known, now),
  }
}

async function statusesOf(
  { store, publicUrl, awakeSince, clock }: AccountContext,
  senderId: number,
  { lastStatusAt }: OfficialFacts,
): Promise<OfficialConcernFacts['statuses']> {
  if (lastStatusAt === null && publicUrl() === null) return 'cannot_arrive'
  const now = clock.now()
  // Meta repeats the reports of a time when the PC was off in the hour after a start.
  const justCame = now - awakeSince() < HOUR ? awakeSince() : 0
  const from = Math.max(lastStatusAt ?? 0, now - LOOK_BACK, justCame)
  const silentSince = await store.officialMessages.silentSince(senderId, from, now - QUIET_FOR)
  return silentSince === null ? 'arrive' : { silentSince }
}

/** All numbers of a business share the limit. Kurir can count only for its own senders. */
async function limitOf(
  { store, clock }: AccountContext,
  senderId: number,
  known: OfficialFacts,
  counts: Map<string, Promise<number>>,
): Promise<Required<OfficialConcernFacts>['messagingLimit']> {
  const total = known.number?.limit
  if (typeof total !== 'number') return null
  const all = store.senders.list()
  const wabaId = all.find(({ id }) => id === senderId)?.official?.waba_id
  const numbers = all.filter(({ official }) => official?.waba_id === wabaId).map(({ id }) => id)
  const key = numbers.join(' ')
  const count = counts.get(key) ?? store.messages.peopleWrittenTo(numbers, clock.now() - DAY)
  counts.set(key, count)
  return { used: await count, total }
}

/** Returns the change as `250 → 2000`, where `∞` means no limit. */
function limitChangeOf(
  { limitChange }: OfficialFacts,
  now: number,
): Required<OfficialConcernFacts>['messagingLimitChanged'] {
  if (limitChange === null || limitChange.at <= now - NEWS_FOR) return null
  const [from, to] = [limitChange.from, limitChange.to].map((limit) => (limit === 'unlimited' ? '∞' : String(limit)))
  return { at: limitChange.at, detail: `${from} → ${to}` }
}

/** Returns a recent approval of a name. Customers see it after the number is registered again. */
function nameApproval({ news }: OfficialFacts, now: number): Required<OfficialConcernFacts>['nameApproved'] {
  const approval = news.findLast((each) => isNameApproval(each) && each.at > now - NEWS_FOR)
  return approval === undefined ? null : { at: approval.at, name: approval.detail }
}

function accountConcerns(
  { account, number, news }: OfficialFacts,
  now: number,
): Required<OfficialConcernFacts>['account'] {
  const found: Required<OfficialConcernFacts>['account'] = []
  const { reason, detail, since, from, until } = accountAt(account ?? goodStanding(now), now)
  if (reason !== null) found.push({ code: reason, detail, since, until: from ?? until })
  if (number?.canSend === 'BLOCKED')
    found.push({ code: 'number_blocked', detail: number.status, since: now, until: null })
  const recent = news.filter(({ at, severity }) => at > now - NEWS_FOR && severity !== 'info')
  const alert = recent.findLast(({ kind }) => kind === 'alert')
  if (alert !== undefined)
    found.push({ code: 'account_alert', detail: alert.detail ?? alert.code, since: alert.at, until: null })
  const security = recent.findLast(({ kind }) => kind === 'security')
  if (security !== undefined)
    found.push({ code: 'security_event', detail: security.code, since: security.at, until: null })
  return found
}
