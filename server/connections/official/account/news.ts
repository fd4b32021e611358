import { DAY } from '../../../lib/clock.ts'
import type { MessagingLimit, NumberFacts, OfficialFacts, OfficialNews } from '../../../store/index.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { NewsUpdate } from '../inbox/inbox.ts'
import type { PreferenceUpdate } from '../inbox/updates.ts'
import type { AccountContext } from './context.ts'
import { checkLater } from './sender.ts'
import { afterAccountUpdate, followState, goodStanding, withLimit } from './sender-state.ts'

const MOST_NEWS = 20
const NEWS_LASTS = 30 * DAY

const UNKNOWN_NUMBER: NumberFacts = {
  quality: null,
  qualitySince: null,
  status: null,
  nameStatus: null,
  canSend: null,
  throughput: null,
  limit: null,
}

/** Applies a report of Meta about templates, numbers or accounts. */
export async function applyNews(context: AccountContext, account: OfficialAccount, update: NewsUpdate): Promise<void> {
  await apply(context, account, update)
  context.bus.emit('sender', { code: account.code })
}

async function apply(context: AccountContext, account: OfficialAccount, update: NewsUpdate): Promise<void> {
  const { store, catalogue } = context
  const { now } = context.clock
  switch (update.kind) {
    case 'template':
    case 'template_edit':
    case 'template_quality':
    case 'template_category':
      return catalogue.report(account, update)
    case 'preference':
      return prefer(context, account, update)
    case 'account':
      await change(context, account, ({ account: before }) => ({
        account: afterAccountUpdate(before ?? goodStanding(0), update, now()),
      }))
      return checkLater(context, account.code)
    case 'capability':
      return change(context, account, (before) => limited(before, update.limit, update.occurredAt ?? now()))
    default: {
      // The report may be about another number of the account.
      const own = store.senders.get(account.senderId)?.phone ?? null
      if ('phone' in update && update.phone !== null && own !== null && update.phone !== own) return
      await change(context, account, (before) => ({
        news: withNews(before.news, newsOf(update, now()), now()),
        ...numberAfter(before, update, now()),
      }))
      if (update.kind === 'number' || update.kind === 'name') checkLater(context, account.code)
    }
  }
}

async function change(
  context: AccountContext,
  { senderId }: OfficialAccount,
  decide: (before: OfficialFacts) => Partial<OfficialFacts>,
): Promise<void> {
  await context.store.officialFacts.change(senderId, decide)
  await followState(context, senderId)
}

async function prefer(
  { customers, clock }: AccountContext,
  { senderId }: OfficialAccount,
  update: PreferenceUpdate,
): Promise<void> {
  const { wants, recipientUserId: userId } = update
  const recipient = update.recipient ?? userId
  if (recipient === null) return
  await customers.preference({ senderId, recipient, userId, wants, at: update.occurredAt ?? clock.now() })
}

type Reported = Exclude<NewsUpdate, { kind: `template${string}` | 'preference' | 'account' | 'capability' }>

function numberAfter(before: OfficialFacts, update: Reported, now: number): Partial<OfficialFacts> {
  const at = update.occurredAt ?? now
  if (update.kind === 'number' && update.limit !== null) return limited(before, update.limit, at)
  if (update.kind !== 'name' || before.news.some((each) => each.kind === 'name' && each.at > at)) return {}
  return { number: { ...(before.number ?? UNKNOWN_NUMBER), nameStatus: update.decision } }
}

function limited(before: OfficialFacts, limit: MessagingLimit, at: number): Partial<OfficialFacts> {
  // Reports come in any order.
  if (before.limitChange !== null && at < before.limitChange.at) return {}
  const number = before.number ?? UNKNOWN_NUMBER
  return withLimit(before, { before: number.limit, after: { ...number, limit }, at })
}

const SEVERITY: { [meta: string]: OfficialNews['severity'] } = { WARNING: 'warning', CRITICAL: 'critical' }

/** Returns news for the owner, or null in place of the news if an earlier report is over. */
function newsOf(update: Reported, now: number): { code: string; at: number; news: OfficialNews | null } {
  const at = update.occurredAt ?? now
  switch (update.kind) {
    case 'alert': {
      const { type: code, severity, explanation: detail, active } = update
      return {
        code,
        at,
        news: active ? { kind: 'alert', code, severity: SEVERITY[severity] ?? 'info', at, detail } : null,
      }
    }
    case 'security':
      return {
        ...{ code: update.event, at },
        news: { kind: 'security', code: update.event, severity: 'warning', at, detail: null },
      }
    case 'name': {
      const { decision: code, name, reason } = update
      const severity = code === 'REJECTED' ? 'warning' : 'info'
      return { code, at, news: { kind: 'name', code, severity, at, detail: reason ?? name } }
    }
    case 'number': {
      const severity = update.event === 'FLAGGED' || update.event === 'DOWNGRADE' ? 'warning' : 'info'
      return { code: update.event, at, news: { kind: 'number', code: update.event, severity, at, detail: null } }
    }
    case 'fault': {
      const [error] = update.errors
      const code = String(error?.code ?? 'unknown')
      const detail = error?.details ?? error?.message ?? null
      return { code, at, news: { kind: 'fault', code, severity: 'warning', at, detail } }
    }
  }
}

/** Returns the newest news of each code, oldest first, without news that are over or old. */
function withNews(
  before: readonly OfficialNews[],
  { code, at, news }: { code: string; at: number; news: OfficialNews | null },
  now: number,
): OfficialNews[] {
  const known = before.filter((each) => each.at > now - NEWS_LASTS)
  // Reports come in any order.
  if (known.some((each) => each.code === code && each.at > at)) return known
  const others = known.filter((each) => each.code !== code)
  return [...others, ...(news === null ? [] : [news])].toSorted((a, b) => a.at - b.at).slice(-MOST_NEWS)
}
