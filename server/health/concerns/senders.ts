import {
  CONCERN_KINDS,
  type Concern,
  type ConcernAction,
  type ConcernCode,
  type ConcernParts,
  createConcern,
  type Weight,
} from '../../contract/concerns.ts'
import { SETUP_REASONS } from '../../contract/official-senders.ts'
import type { OfficialConcernFacts } from '../../senders/ports.ts'
import { LONG_LINE, MESSAGING_LIMIT_SHARE, TOKEN_ENDS_WITHIN } from '../thresholds.ts'
import type { ConcernFacts, SenderFacts } from './facts.ts'

/** Returns the concerns of each sender, before those with one cause are merged. Pure. */
export function sendersConcerns(facts: ConcernFacts): Concern[] {
  const { senders, allPaused } = facts
  if (senders.every(neverUsed)) return [nothingLinked(senders)]
  // A linked number keeps a connection to WhatsApp all the time, so the PC is online.
  const isOnline = senders.some(({ kind, state }) => kind === 'linked' && state === 'connected')
  const found = senders
    .flatMap((sender) => concernsOf(sender, facts))
    .map((each) => (each.code === 'offline' && isOnline ? { ...each, code: 'offline_alone' as const } : each))
  const explained = found.reduce((sum, { waiting }) => sum + waiting, 0)
  const waiting = senders.reduce((sum, sender) => sum + sender.waiting, 0) - explained
  return [...found, ...(allPaused ? [createConcern('all_paused', { waiting, page: '/' })] : [])]
}

const neverUsed = ({ kind, state, hasPhone, waiting, linkingTrouble }: SenderFacts): boolean =>
  kind === 'linked' && !hasPhone && waiting === 0 && !linkingTrouble && (state === 'unlinked' || state === 'linking')

function nothingLinked(senders: readonly SenderFacts[]): Concern {
  const [only] = senders
  return createConcern('nothing_linked', { page: only === undefined ? '/senders' : `/senders/${only.code}/link` })
}

/** Merges the `offline` concerns into one, because a PC without a network is one cause. Pure. */
export function offlineTogether(concerns: Concern[]): Concern[] {
  const offline = concerns.filter(({ code }) => code === 'offline')
  if (offline.length < 2) return concerns
  const sum = (of: 'waiting' | 'failed') => offline.reduce((total, each) => total + each[of], 0)
  const together: Concern = {
    ...createConcern('offline', {
      count: offline.length,
      waiting: sum('waiting'),
      failed: sum('failed'),
      page: '/senders',
      action: null,
    }),
    since: offline.map(({ since }) => since).sort()[0] ?? null,
  }
  return [together, ...concerns.filter(({ code }) => code !== 'offline')]
}

/** Returns one concern for all silent senders, because a closed shop is one cause. Pure. */
export function silenceConcerns({ senders, allPaused }: ConcernFacts): Concern[] {
  const silent = senders.filter(
    ({ silentSince, state, paused, waiting }) =>
      silentSince !== undefined && state === 'connected' && !paused && waiting === 0,
  )
  const [first] = silent
  if (first === undefined || allPaused) return []
  const since = Math.max(...silent.map(({ silentSince = 0 }) => silentSince))
  return [
    silent.length === 1
      ? senderConcern('silent', first, { since })
      : createConcern('silent', { count: silent.length, since, page: '/senders' }),
  ]
}

function concernsOf(sender: SenderFacts, facts: ConcernFacts): Concern[] {
  const found = holdingConcerns(sender, facts)
  const { sendingLong } = sender
  // One cause makes one concern, and `not_moving` names it already.
  if (sendingLong === undefined || found.some(({ code }) => code === 'not_moving')) return found
  return [...found, senderConcern('sending_long', sender, { ...sendingLong, page: '/messages?status=sending' })]
}

function holdingConcerns(sender: SenderFacts, facts: ConcernFacts): Concern[] {
  const { since, until = null, waiting, detail = null } = sender
  const trouble = sender.kind === 'linked' ? linkedTrouble(sender) : officialTrouble(sender)
  if (trouble !== null) {
    const its = sender.linkingTrouble?.code === trouble ? sender.linkingTrouble.detail : detail
    const parts = { since, until, waiting, detail: trouble === 'other_phone' ? (sender.otherPhone ?? null) : its }
    // An unlinked number without waiting messages is the owner's choice and no alarm.
    const weight: Weight = trouble === 'unlinked' && waiting === 0 ? 'choice' : CONCERN_KINDS[trouble].weight
    return [senderConcern(trouble, sender, { ...parts, ...officialParts(sender, trouble), weight })]
  }
  return [
    ...laneConcerns(sender, facts),
    ...(sender.official === null ? [] : officialConcerns(sender, sender.official, facts.now)),
  ]
}

/** True if a queue ends late. @param endsAt null: later than in a year */
const isLong = (endsAt: number | null, now: number): boolean => endsAt === null || endsAt - now > LONG_LINE

const FIRST_CONTACTS = {
  lock: 'reach_out_lock',
  cap: 'new_chats_capped',
  wrong_numbers: 'wrong_numbers',
  new_link: 'new_link',
} as const

function laneConcerns(sender: SenderFacts, { allPaused, now }: ConcernFacts): Concern[] {
  const { waiting, heldBy, heldUntil: until, firstContacts, newChatsNearlyUsed: chats } = sender
  if (sender.paused) return [senderConcern(sender.pausedByReturn ? 'paused_by_return' : 'paused', sender, { waiting })]
  if (allPaused) return []
  const found: Concern[] = []
  if (firstContacts !== null) {
    found.push(senderConcern(FIRST_CONTACTS[firstContacts.why], sender, { waiting, until: firstContacts.until }))
  } else if (chats) {
    found.push(senderConcern('new_chats_nearly_used', sender, chats))
  }
  if (sender.isStuck) found.push(senderConcern('not_moving', sender, { waiting }))
  else if (heldBy !== null && waiting > 0 && firstContacts === null)
    found.push(senderConcern(heldBy, sender, { waiting, until }))
  else if (firstContacts === null && isLong(sender.queueEndsAt, now))
    found.push(senderConcern('long_line', sender, { waiting, until: sender.queueEndsAt }))
  return found
}

/** Returns the reason why a linked number cannot send; null: it can. */
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

const STOPPED_BY_META = [
  'account_deleted',
  'account_offboarded',
  'account_disabled',
  'account_locked',
  'account_unpaid',
  'account_reported',
  'category_violation',
  'name_unapproved',
  'account_restricted',
  'number_blocked',
] as const

/** Returns the reason why an official number cannot send; null: it can. */
function officialTrouble({ state, reason, isDown, official }: SenderFacts): ConcernCode | null {
  if (official?.secretsUnreadable) return 'secrets_unreadable'
  const stopped = STOPPED_BY_META.find(
    (code) => official?.account?.some((each) => each.code === code) || (state !== 'connected' && code === reason),
  )
  if (stopped !== undefined) return stopped
  if (state === 'connected') return null
  const setup = SETUP_REASONS.find((code) => code === reason)
  if (setup !== undefined) return setup
  if (official !== null && official.failedChecks.length > 0) return 'checks_failing'
  return isDown ? 'offline' : null
}

function officialParts({ official }: SenderFacts, trouble: ConcernCode): ConcernParts {
  if (trouble === 'checks_failing') return { detail: official?.failedChecks[0] ?? null }
  const account = official?.account?.find(({ code }) => code === trouble)
  return account ? { since: account.since, until: account.until, detail: account.detail } : {}
}

/** Returns the concerns of an official number that can send. */
function officialConcerns(sender: SenderFacts, official: OfficialConcernFacts, now: number): Concern[] {
  const { statuses, failedChecks, account = [], tokenEndsAt, messagingLimit: limit } = official
  const counted = (code: ConcernCode, count = 0) => (count > 0 ? [senderConcern(code, sender, { count })] : [])
  const of = (code: ConcernCode, parts?: ConcernParts) => senderConcern(code, sender, parts)
  const found = [
    ...counted('callbacks_refused', official.refusedCallbacks),
    ...counted('template_paused', official.templatesLost),
    ...counted('template_category_changed', official.templatesRecategorized),
  ]
  const low = official.templatesOfLowQuality ?? []
  if (low.length > 0) found.push(of('template_quality_low', { count: low.length, detail: shortList(low) }))
  if (statuses === 'cannot_arrive') found.push(of('statuses_cannot_arrive', { page: '/settings#meta' }))
  else if (statuses !== 'arrive') found.push(of('no_status_heard', { since: statuses.silentSince }))
  const endsSoon = tokenEndsAt != null && tokenEndsAt - now < TOKEN_ENDS_WITHIN
  // These checks have concerns of their own.
  const told = [
    'public_address',
    'statuses',
    ...(official.qualityIsRed ? ['number'] : []),
    ...(endsSoon ? ['token'] : []),
  ]
  const check = failedChecks.find((name) => !told.includes(name))
  if (check !== undefined) found.push(of('checks_failing', { detail: check }))
  for (const { code, ...parts } of account) found.push(of(code, parts))
  if (official.qualityIsRed) found.push(of('quality_red', { since: official.qualitySince ?? null }))
  if (endsSoon) found.push(of('token_expires', { until: tokenEndsAt }))
  if (limit != null && limit.used >= limit.total * MESSAGING_LIMIT_SHARE) {
    found.push(of('messaging_limit_near', { detail: `${limit.used} / ${limit.total}` }))
  }
  const changed = official.messagingLimitChanged
  if (changed) found.push(of('messaging_limit_changed', { since: changed.at, detail: changed.detail }))
  const name = official.nameApproved
  if (name) found.push(of('name_approved', { since: name.at, detail: name.name }))
  return found
}

const shortList = (names: readonly string[]): string =>
  [...names.slice(0, 3), ...(names[3] === undefined ? [] : ['…'])].join(', ')

const senderConcern = (
  code: ConcernCode,
  { code: sender_code, name }: SenderFacts,
  parts: ConcernParts = {},
): Concern =>
  createConcern(code, {
    id: `${code}/${sender_code}`,
    sender_code,
    sender_name: name,
    page: pageOf(CONCERN_KINDS[code].action, sender_code),
    ...parts,
  })

/** Actions that lead to the section on a sender's pace. */
const OF_PACE: ReadonlySet<ConcernAction | undefined> = new Set([
  'change_limit',
  'change_hours',
  'change_pace',
] as const)

function pageOf(action: ConcernAction | undefined, senderCode: string): string {
  if (action === 'link' || action === 'link_again') return `/senders/${senderCode}/link`
  const section = OF_PACE.has(action) ? '#pace' : ''
  return action === 'update' ? '/settings#about' : `/senders?open=${senderCode}${section}`
}
