import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import { SETUP_REASONS } from '../../contract/senders.ts'
import type { OfficialConcernFacts } from '../../senders/official.ts'
import { MESSAGING_LIMIT_SHARE, TOKEN_ENDS_WITHIN } from '../thresholds.ts'
import { type ConcernParts, senderConcern } from './concern.ts'
import type { SenderFacts } from './facts.ts'

const STOPPED_BY_META = [
  'account_deleted',
  'account_offboarded',
  'account_disabled',
  'account_locked',
  'account_restricted',
  'number_blocked',
] as const

/** Why an official number cannot send; null: it can. */
export function officialTrouble({ state, reason, isDown, official }: SenderFacts): ConcernCode | null {
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

export function officialParts({ official }: SenderFacts, trouble: ConcernCode): ConcernParts {
  if (trouble === 'checks_failing') return { detail: official?.failedChecks[0] ?? null }
  const account = official?.account
  return account?.code === trouble ? { since: account.since, until: account.until, detail: account.detail } : {}
}

/** Concerns of an official number that can send. */
export function officialConcerns(sender: SenderFacts, official: OfficialConcernFacts, now: number): Concern[] {
  const { statuses, failedChecks, account, tokenEndsAt, messagingLimit: limit } = official
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
  // Concerns of their own say why these fail.
  const told = [
    'public_address',
    'statuses',
    ...(official.qualityIsRed ? ['number'] : []),
    ...(endsSoon ? ['token'] : []),
  ]
  const check = failedChecks.find((name) => !told.includes(name))
  if (check !== undefined) found.push(of('checks_failing', { detail: check }))
  if (account) found.push(of(account.code, { since: account.since, until: account.until, detail: account.detail }))
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

/** The first three of some names. */
const shortList = (names: readonly string[]): string =>
  [...names.slice(0, 3), ...(names[3] === undefined ? [] : ['…'])].join(', ')
