import {
  CONCERN_CODES,
  type Concern,
  type ConcernAction,
  type ConcernCode,
  WEIGHTS,
  type Weight,
} from '../contract/concerns.ts'
import type { FailureCode } from '../contract/failures.ts'
import type { ConnectionState } from '../contract/senders.ts'
import { isoTime } from '../lib/clock.ts'
import { startOfDay } from '../lib/local-time.ts'
import type { OfficialConcernFacts } from '../senders/official.ts'
import type { OutcomeCount } from '../store/index.ts'
import {
  BACKUP_IS_OLD,
  CLOCK_NEWS_FOR,
  FAILURE_SPAN,
  isFailing,
  LOW_DISK_BYTES,
  MESSAGING_LIMIT_SHARE,
  TOKEN_ENDS_WITHIN,
} from './thresholds.ts'

export type StorageTrouble = Extract<ConcernCode, `storage_${string}`>

/**
 * Everything that concerns are found from. Members with `?` are absent where the part of the program that knows them does
 * not say. Times are milliseconds since 1970.
 */
export interface ConcernFacts {
  now: number
  /** What keeps messages from being stored; null: nothing. */
  storage: StorageTrouble | null
  /** Null: the system does not say. */
  freeBytes: number | null
  allPaused: boolean
  /** Without the sandbox, which counts nowhere. */
  senders: readonly SenderFacts[]
  endpoints: readonly EndpointFacts[]
  /** At least those of this day and of the last hour. */
  outcomes: readonly OutcomeCount[]
  lanOpen: boolean
  ownerPagesOpen: boolean
  /** Messages are never removed. */
  keptForEver: boolean
  /** When the clock of the PC was last set by more than a minute. */
  clockWrongAt: number | null
  /** When Meta switches off the version of its API that is used, where that is near. */
  graphVersionEndsAt?: number | null
  /** The version that is ready to be installed. */
  update?: string | null
  /** When the last backup was made; null: never. */
  backupAt?: number | null
}

export interface SenderFacts {
  id: number
  code: string
  name: string
  kind: 'linked' | 'official'
  state: ConnectionState
  reason: string | null
  /** WhatsApp's or Meta's own code or words for the reason. */
  detail?: string | null
  since: number
  /** When the state ends by itself. */
  until?: number | null
  /** Callers heard that it is not connected: a shorter break is no concern. */
  isDown: boolean
  /** By the owner, this one. */
  paused: boolean
  /** It has been linked before. */
  hasPhone: boolean
  waiting: number
  /** What the owner set holds its lane until then. */
  heldBy: 'quiet_hours' | 'daily_cap' | null
  heldUntil: number | null
  /** Messages are due for long, and nothing holds them. */
  isStuck: boolean
  /** Messages to people that it never wrote to wait. */
  firstContacts: { until: number; why: 'lock' | 'cap' | 'wrong_numbers' } | null
  newChatsNearlyUsed?: { detail: string; until: number | null } | null
  /** The number that was linked in place of the earlier one, whose messages wait. */
  otherPhone?: string | null
  /** Why an attempt to link shows no code. */
  linkingTrouble?: { code: 'passkey_required' | 'pairing_code_refused'; detail: string | null } | null
  official: OfficialConcernFacts | null
}

export interface EndpointFacts {
  id: number
  host: string
  /** Switched off because the receiver answered 410. */
  isGone: boolean
  enabled: boolean
  /** Its last attempt failed. */
  isFailing: boolean
  pending: number
  dead: number
}

interface About {
  weight: Weight
  action?: ConcernAction
}

const ABOUT: Record<ConcernCode, About> = {
  storage_full: { weight: 'urgent' },
  storage_gone: { weight: 'urgent' },
  storage_read_only: { weight: 'urgent' },
  storage_unavailable: { weight: 'urgent' },
  banned: { weight: 'urgent', action: 'what_to_do' },
  locked: { weight: 'urgent', action: 'what_to_do' },
  temporarily_banned: { weight: 'urgent', action: 'what_to_do' },
  removed_by_whatsapp: { weight: 'urgent', action: 'what_to_do' },
  restricted: { weight: 'urgent', action: 'what_to_do' },
  logged_out: { weight: 'urgent', action: 'link_again' },
  session_unreadable: { weight: 'urgent', action: 'link_again' },
  other_phone: { weight: 'urgent', action: 'decide' },
  replaced: { weight: 'urgent', action: 'use_here' },
  passkey_required: { weight: 'urgent', action: 'what_to_do' },
  pairing_code_refused: { weight: 'urgent', action: 'link' },
  unlinked: { weight: 'urgent', action: 'link' },
  protocol_outdated: { weight: 'urgent', action: 'update' },
  refused_by_whatsapp: { weight: 'urgent' },
  untrusted_server: { weight: 'urgent' },
  offline: { weight: 'urgent' },
  token_refused: { weight: 'urgent', action: 'enter_token' },
  secrets_unreadable: { weight: 'urgent', action: 'enter_secret' },
  missing_permissions: { weight: 'urgent', action: 'enter_token' },
  wrong_ids: { weight: 'urgent', action: 'correct_ids' },
  not_registered: { weight: 'urgent', action: 'register' },
  account_deleted: { weight: 'urgent', action: 'what_to_do' },
  account_offboarded: { weight: 'urgent', action: 'what_to_do' },
  account_disabled: { weight: 'urgent', action: 'what_to_do' },
  account_locked: { weight: 'urgent', action: 'what_to_do' },
  account_restricted: { weight: 'urgent', action: 'what_to_do' },
  number_blocked: { weight: 'urgent', action: 'what_to_do' },
  wrong_app_secret: { weight: 'urgent', action: 'enter_secret' },
  callbacks_refused: { weight: 'warning', action: 'enter_secret' },
  not_moving: { weight: 'urgent', action: 'see_why' },
  messages_failing: { weight: 'urgent', action: 'see_messages' },
  wrong_numbers: { weight: 'warning', action: 'what_to_do' },
  new_chats_capped: { weight: 'warning', action: 'what_to_do' },
  reach_out_lock: { weight: 'warning', action: 'what_to_do' },
  disk_nearly_full: { weight: 'warning' },
  statuses_cannot_arrive: { weight: 'warning', action: 'open_settings' },
  no_status_heard: { weight: 'warning', action: 'what_to_do' },
  account_disable_scheduled: { weight: 'warning', action: 'what_to_do' },
  token_expires: { weight: 'warning', action: 'enter_token' },
  account_violation: { weight: 'warning', action: 'what_to_do' },
  account_limited: { weight: 'warning', action: 'what_to_do' },
  account_alert: { weight: 'warning', action: 'what_to_do' },
  security_event: { weight: 'warning', action: 'what_to_do' },
  quality_red: { weight: 'warning', action: 'what_to_do' },
  template_paused: { weight: 'warning', action: 'see_why' },
  template_quality_low: { weight: 'warning', action: 'see_why' },
  checks_failing: { weight: 'warning', action: 'what_to_do' },
  endpoint_failing: { weight: 'warning', action: 'see_why' },
  endpoint_gone: { weight: 'warning', action: 'see_why' },
  callbacks_dead: { weight: 'warning', action: 'see_callbacks' },
  new_chats_nearly_used: { weight: 'warning', action: 'what_to_do' },
  messaging_limit_near: { weight: 'warning' },
  clock_off: { weight: 'warning' },
  graph_version_ends: { weight: 'warning', action: 'update' },
  all_paused: { weight: 'choice', action: 'resume_all' },
  paused: { weight: 'choice', action: 'resume' },
  daily_cap: { weight: 'choice' },
  quiet_hours: { weight: 'choice' },
  nothing_linked: { weight: 'choice', action: 'add_number' },
  owner_pages_open: { weight: 'note', action: 'open_settings' },
  lan_open: { weight: 'note', action: 'open_settings' },
  template_category_changed: { weight: 'note', action: 'see_why' },
  messaging_limit_changed: { weight: 'note' },
  name_approved: { weight: 'note', action: 'register' },
  update_available: { weight: 'note', action: 'update' },
  backup_never: { weight: 'note', action: 'back_up' },
  backup_old: { weight: 'note', action: 'back_up' },
  retention_never: { weight: 'note', action: 'open_settings' },
}

const REFUSED_AT_META: readonly FailureCode[] = ['provider_auth_failed', 'provider_rejected']
const WAITED_TOO_LONG: readonly FailureCode[] = ['expired']

/** Failures of a sender that its concern explains: one cause is one sentence. */
const EXPLAINS: Partial<Record<ConcernCode, readonly FailureCode[]>> = {
  banned: WAITED_TOO_LONG,
  locked: WAITED_TOO_LONG,
  temporarily_banned: WAITED_TOO_LONG,
  removed_by_whatsapp: WAITED_TOO_LONG,
  restricted: WAITED_TOO_LONG,
  logged_out: WAITED_TOO_LONG,
  session_unreadable: WAITED_TOO_LONG,
  replaced: WAITED_TOO_LONG,
  unlinked: WAITED_TOO_LONG,
  protocol_outdated: WAITED_TOO_LONG,
  offline: WAITED_TOO_LONG,
  token_refused: REFUSED_AT_META,
  missing_permissions: REFUSED_AT_META,
  wrong_ids: REFUSED_AT_META,
  not_registered: REFUSED_AT_META,
  account_deleted: REFUSED_AT_META,
  account_offboarded: REFUSED_AT_META,
  account_disabled: REFUSED_AT_META,
  account_locked: REFUSED_AT_META,
  account_restricted: REFUSED_AT_META,
  number_blocked: REFUSED_AT_META,
  template_paused: ['template_not_sendable'],
  reach_out_lock: ['account_restricted'],
  new_chats_capped: ['account_restricted'],
}

/** What differs from one concern to the next; the rest follows from its code. */
type Parts = Partial<Omit<Concern, 'code' | 'since' | 'until'>> & { since?: number | null; until?: number | null }

function concern(code: ConcernCode, { since = null, until = null, ...parts }: Parts = {}): Concern {
  const { weight, action = null } = ABOUT[code]
  return {
    ...{ id: code, code, weight, sender_code: null, sender_name: null, webhook_id: null, host: null },
    ...{ waiting: 0, failed: 0, count: null, reasons: [], detail: null, action, page: null },
    ...parts,
    since: since === null ? null : isoTime(since),
    until: until === null ? null : isoTime(until),
  }
}

const ofSender = (code: ConcernCode, { code: sender_code, name }: SenderFacts, parts: Parts = {}): Concern =>
  concern(code, {
    id: `${code}/${sender_code}`,
    sender_code,
    sender_name: name,
    page: pageOf(ABOUT[code].action, sender_code),
    ...parts,
  })

function pageOf(action: ConcernAction | undefined, senderCode: string): string {
  if (action === 'link' || action === 'link_again') return `/senders/${senderCode}/link`
  return action === 'update' ? '/settings#about' : `/senders?open=${senderCode}`
}

/** Everything that needs the owner now, the most harmful first. Pure. */
export function findConcerns(facts: ConcernFacts): Concern[] {
  const ofSenders = withFailures(sendersConcerns(facts), facts)
  return [
    ...storageConcerns(facts),
    ...ofSenders,
    ...failureConcerns(facts, ofSenders),
    ...facts.endpoints.flatMap(endpointConcerns),
    ...programConcerns(facts),
  ].sort(byHarm)
}

/** Nothing accepted first; then by weight; then by how many messages it holds; then by the order of the codes. */
function byHarm(a: Concern, b: Concern): number {
  return harm(a) - harm(b) || b.waiting + b.failed - a.waiting - a.failed || place(a) - place(b)
}

const place = ({ code }: Concern): number => CONCERN_CODES.indexOf(code)
const harm = ({ code, weight }: Concern): number => (code.startsWith('storage_') ? -1 : WEIGHTS.indexOf(weight))

function storageConcerns({ storage, freeBytes }: ConcernFacts): Concern[] {
  if (storage !== null) return [concern(storage)]
  return freeBytes !== null && freeBytes < LOW_DISK_BYTES ? [concern('disk_nearly_full', { count: freeBytes })] : []
}

function sendersConcerns(facts: ConcernFacts): Concern[] {
  const { senders, allPaused } = facts
  if (senders.every(neverUsed)) return [nothingLinked(senders)]
  const found = senders.flatMap((sender) => senderConcerns(sender, facts))
  const explained = found.reduce((sum, { waiting }) => sum + waiting, 0)
  const waiting = senders.reduce((sum, sender) => sum + sender.waiting, 0) - explained
  return [...offlineTogether(found), ...(allPaused ? [concern('all_paused', { waiting, page: '/' })] : [])]
}

const neverUsed = ({ kind, state, hasPhone, waiting, linkingTrouble }: SenderFacts): boolean =>
  kind === 'linked' && !hasPhone && waiting === 0 && !linkingTrouble && (state === 'unlinked' || state === 'linking')

function nothingLinked(senders: readonly SenderFacts[]): Concern {
  const [only] = senders
  return concern('nothing_linked', { page: only === undefined ? '/senders' : `/senders/${only.code}/link` })
}

/** A PC without a network is one cause, however many numbers it has. */
function offlineTogether(concerns: Concern[]): Concern[] {
  const offline = concerns.filter(({ code }) => code === 'offline')
  if (offline.length < 2) return concerns
  const sum = (of: 'waiting' | 'failed') => offline.reduce((total, each) => total + each[of], 0)
  const together: Concern = {
    ...concern('offline', { count: offline.length, waiting: sum('waiting'), failed: sum('failed'), page: '/senders' }),
    since: offline.map(({ since }) => since).sort()[0] ?? null,
  }
  return [together, ...concerns.filter(({ code }) => code !== 'offline')]
}

function senderConcerns(sender: SenderFacts, facts: ConcernFacts): Concern[] {
  const { since, until = null, waiting, detail = null } = sender
  const trouble = sender.kind === 'linked' ? linkedTrouble(sender) : officialTrouble(sender)
  if (trouble !== null) {
    const its = sender.linkingTrouble?.code === trouble ? sender.linkingTrouble.detail : detail
    const parts = { since, until, waiting, detail: trouble === 'other_phone' ? (sender.otherPhone ?? null) : its }
    // Nothing waits for a number that was never linked, or that its owner unlinked.
    const weight: Weight = trouble === 'unlinked' && waiting === 0 ? 'choice' : ABOUT[trouble].weight
    return [ofSender(trouble, sender, { ...parts, ...officialParts(sender, trouble), weight })]
  }
  return [
    ...laneConcerns(sender, facts),
    ...(sender.official === null ? [] : officialConcerns(sender, sender.official, facts.now)),
  ]
}

/** Why a linked number cannot send; null: it can. */
function linkedTrouble({ state, reason, isDown, hasPhone, ...sender }: SenderFacts): ConcernCode | null {
  switch (state) {
    case 'logged_out':
      if (reason === 'removed_by_whatsapp') return reason
      return sender.linkingTrouble?.code ?? (reason === 'session_unreadable' ? reason : 'logged_out')
    case 'restricted':
      return reason === 'banned' || reason === 'locked' || reason === 'temporarily_banned' ? reason : 'restricted'
    case 'replaced':
      return state
    case 'unlinked':
      return sender.linkingTrouble?.code ?? state
    case 'linking':
      return sender.linkingTrouble?.code ?? (hasPhone ? 'logged_out' : 'unlinked')
    case 'connecting':
    case 'offline':
      if (reason === 'protocol_outdated' || reason === 'refused_by_whatsapp' || reason === 'untrusted_server')
        return reason
      return isDown ? 'offline' : null
    case 'connected':
      return sender.otherPhone ? 'other_phone' : null
  }
}

const SETUP_REASONS = [
  'token_refused',
  'missing_permissions',
  'wrong_ids',
  'not_registered',
  'wrong_app_secret',
] as const
const STOPPED_BY_META = [
  'account_deleted',
  'account_offboarded',
  'account_disabled',
  'account_locked',
  'account_restricted',
  'number_blocked',
] as const

/** Why an official number cannot send; null: it can. */
function officialTrouble({ state, reason, isDown, official }: SenderFacts): ConcernCode | null {
  if (official?.secretsUnreadable) return 'secrets_unreadable'
  const stopped = STOPPED_BY_META.find(
    (code) => code === official?.account?.code || (state !== 'connected' && code === reason),
  )
  if (stopped !== undefined) return stopped
  if (state === 'connected') return null
  const setup = SETUP_REASONS.find((code) => code === reason)
  if (setup !== undefined) return setup
  if (official !== null && official.failedChecks.length > 0) return 'checks_failing'
  return isDown ? 'offline' : null
}

function officialParts({ official }: SenderFacts, trouble: ConcernCode): Parts {
  if (trouble === 'checks_failing') return { detail: official?.failedChecks[0] ?? null }
  const account = official?.account
  return account?.code === trouble ? { since: account.since, until: account.until, detail: account.detail } : {}
}

/** What holds messages of a sender that is connected. */
function laneConcerns(sender: SenderFacts, { allPaused }: ConcernFacts): Concern[] {
  const { waiting, heldBy, heldUntil: until, firstContacts, newChatsNearlyUsed: chats } = sender
  if (sender.paused) return [ofSender('paused', sender, { waiting })]
  if (allPaused) return []
  const found: Concern[] = []
  if (firstContacts !== null) {
    const code = { lock: 'reach_out_lock', cap: 'new_chats_capped', wrong_numbers: 'wrong_numbers' } as const
    found.push(ofSender(code[firstContacts.why], sender, { waiting, until: firstContacts.until }))
  } else if (chats) {
    found.push(ofSender('new_chats_nearly_used', sender, chats))
  }
  if (sender.isStuck) found.push(ofSender('not_moving', sender, { waiting }))
  else if (heldBy !== null && waiting > 0 && firstContacts === null)
    found.push(ofSender(heldBy, sender, { waiting, until }))
  return found
}

/** What is wrong with an official number that can send. */
function officialConcerns(sender: SenderFacts, official: OfficialConcernFacts, now: number): Concern[] {
  const { statuses, failedChecks, account, tokenEndsAt, messagingLimit: limit } = official
  const counted = (code: ConcernCode, count = 0) => (count > 0 ? [ofSender(code, sender, { count })] : [])
  const of = (code: ConcernCode, parts?: Parts) => ofSender(code, sender, parts)
  const found = [
    ...counted('callbacks_refused', official.refusedCallbacks),
    ...counted('template_paused', official.templatesLost),
    ...counted('template_quality_low', official.templatesOfLowQuality),
    ...counted('template_category_changed', official.templatesRecategorized),
  ]
  if (statuses === 'cannot_arrive') found.push(of('statuses_cannot_arrive', { page: '/settings#meta' }))
  else if (statuses !== 'arrive') found.push(of('no_status_heard', { since: statuses.silentSince }))
  // These two checks are concerns of their own.
  const check = failedChecks.find((name) => name !== 'public_address' && name !== 'statuses')
  if (check !== undefined) found.push(of('checks_failing', { detail: check }))
  if (account) found.push(of(account.code, { since: account.since, until: account.until, detail: account.detail }))
  if (official.qualityIsRed) found.push(of('quality_red'))
  if (tokenEndsAt != null && tokenEndsAt - now < TOKEN_ENDS_WITHIN)
    found.push(of('token_expires', { until: tokenEndsAt }))
  if (limit != null && limit.used >= limit.total * MESSAGING_LIMIT_SHARE) {
    found.push(of('messaging_limit_near', { detail: `${limit.used} / ${limit.total}` }))
  }
  const changed = official.messagingLimitChanged
  if (changed) found.push(of('messaging_limit_changed', { since: changed.at, detail: changed.detail }))
  const name = official.nameApproved
  if (name) found.push(of('name_approved', { since: name.at, detail: name.name }))
  return found
}

/** Adds to each concern the failures of this day that it explains. */
function withFailures(concerns: Concern[], { senders, outcomes, now }: ConcernFacts): Concern[] {
  const idOf = new Map(senders.map(({ code, id }) => [code, id]))
  return concerns.map((each) => {
    const explained = EXPLAINS[each.code]
    const id = idOf.get(each.sender_code ?? '')
    if (explained === undefined || id === undefined) return each
    const its = outcomes.filter(({ at, senderId, reason }) => {
      return at >= startOfDay(now) && senderId === id && reason !== null && explained.includes(reason)
    })
    return { ...each, failed: total(its, 'failed') }
  })
}

/** Failures that no other concern explains: over this day, or over the last hour where the day as a whole is good. */
function failureConcerns({ outcomes, senders, now }: ConcernFacts, others: readonly Concern[]): Concern[] {
  const idOf = new Map(senders.map(({ code, id }) => [code, id]))
  const explained = new Set(
    others.flatMap(({ code, sender_code }) =>
      (EXPLAINS[code] ?? []).map((reason) => `${idOf.get(sender_code ?? '')} ${reason}`),
    ),
  )
  const unexplained = outcomes.filter(({ senderId, reason }) => !explained.has(`${senderId} ${reason}`))
  for (const since of [startOfDay(now), now - FAILURE_SPAN]) {
    const its = unexplained.filter(({ at }) => at >= since)
    const failed = total(its, 'failed')
    // One that failed after it was sent yesterday is not among those that were sent today.
    const ended = Math.max(failed, failed + total(its, 'sent'))
    if (isFailing(failed, ended)) {
      const page = '/messages?routes=all&status=failed&period=1'
      return [concern('messages_failing', { failed, count: ended, reasons: reasonsOf(its), since, page })]
    }
  }
  return []
}

const total = (outcomes: readonly OutcomeCount[], kind: OutcomeCount['kind']): number =>
  outcomes.reduce((sum, each) => sum + (each.kind === kind ? each.count : 0), 0)

/** The most frequent one first. */
function reasonsOf(outcomes: readonly OutcomeCount[]): Concern['reasons'] {
  const counts = new Map<FailureCode, number>()
  for (const { reason, count } of outcomes) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count)
}

/** One receiver is one concern. */
function endpointConcerns({ id, host, isGone, enabled, isFailing: fails, pending, dead }: EndpointFacts): Concern[] {
  const of = (code: ConcernCode, count: number, page = `/webhooks?open=${id}`) =>
    concern(code, { id: `${code}/${id}`, webhook_id: String(id), host, count: count > 0 ? count : null, page })
  if (isGone) return [of('endpoint_gone', pending)]
  if (enabled && fails && pending > 0) return [of('endpoint_failing', pending)]
  return enabled && dead > 0 ? [of('callbacks_dead', dead, '/webhooks?state=dead')] : []
}

function programConcerns(facts: ConcernFacts): Concern[] {
  const { now, clockWrongAt, graphVersionEndsAt, update, backupAt } = facts
  const found: Concern[] = []
  const at = (section: string) => ({ page: `/settings#${section}` })
  if (clockWrongAt !== null && now - clockWrongAt < CLOCK_NEWS_FOR)
    found.push(concern('clock_off', { since: clockWrongAt }))
  if (graphVersionEndsAt != null)
    found.push(concern('graph_version_ends', { until: graphVersionEndsAt, ...at('about') }))
  if (facts.ownerPagesOpen) found.push(concern('owner_pages_open', at('network')))
  else if (facts.lanOpen) found.push(concern('lan_open', at('network')))
  if (update != null) found.push(concern('update_available', { detail: update, ...at('about') }))
  if (backupAt === null) found.push(concern('backup_never', at('backup')))
  else if (backupAt !== undefined && now - backupAt > BACKUP_IS_OLD) {
    found.push(concern('backup_old', { since: backupAt, ...at('backup') }))
  }
  if (facts.keptForEver) found.push(concern('retention_never', at('log')))
  return found
}
