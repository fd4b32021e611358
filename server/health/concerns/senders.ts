import type { Concern, Weight } from '../../contract/concerns.ts'
import { LONG_LINE } from '../thresholds.ts'
import { CONCERN_KINDS, concern, senderConcern } from './concern.ts'
import type { ConcernFacts, SenderFacts } from './facts.ts'
import { linkedTrouble } from './linked.ts'
import { officialConcerns, officialParts, officialTrouble } from './official.ts'

/** Why messages of the senders wait, one by one. Pure. */
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
  return [...found, ...(allPaused ? [concern('all_paused', { waiting, page: '/' })] : [])]
}

const neverUsed = ({ kind, state, hasPhone, waiting, linkingTrouble }: SenderFacts): boolean =>
  kind === 'linked' && !hasPhone && waiting === 0 && !linkingTrouble && (state === 'unlinked' || state === 'linking')

function nothingLinked(senders: readonly SenderFacts[]): Concern {
  const [only] = senders
  return concern('nothing_linked', { page: only === undefined ? '/senders' : `/senders/${only.code}/link` })
}

/** A PC without a network is one cause, however many numbers it has. Pure. */
export function offlineTogether(concerns: Concern[]): Concern[] {
  const offline = concerns.filter(({ code }) => code === 'offline')
  if (offline.length < 2) return concerns
  const sum = (of: 'waiting' | 'failed') => offline.reduce((total, each) => total + each[of], 0)
  const together: Concern = {
    ...concern('offline', {
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

/** Senders for which nothing comes any more, as one: a closed shop is one cause. Pure. */
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
      : concern('silent', { count: silent.length, since, page: '/senders' }),
  ]
}

function concernsOf(sender: SenderFacts, facts: ConcernFacts): Concern[] {
  const found = holdingConcerns(sender, facts)
  const { sendingLong } = sender
  // One cause is one row: a number that stands still says it already.
  if (sendingLong === undefined || found.some(({ code }) => code === 'not_moving')) return found
  return [...found, senderConcern('sending_long', sender, { ...sendingLong, page: '/messages?status=sending' })]
}

function holdingConcerns(sender: SenderFacts, facts: ConcernFacts): Concern[] {
  const { since, until = null, waiting, detail = null } = sender
  const trouble = sender.kind === 'linked' ? linkedTrouble(sender) : officialTrouble(sender)
  if (trouble !== null) {
    const its = sender.linkingTrouble?.code === trouble ? sender.linkingTrouble.detail : detail
    const parts = { since, until, waiting, detail: trouble === 'other_phone' ? (sender.otherPhone ?? null) : its }
    // Nothing waits for a number that was never linked, or that its owner unlinked.
    const weight: Weight = trouble === 'unlinked' && waiting === 0 ? 'choice' : CONCERN_KINDS[trouble].weight
    return [senderConcern(trouble, sender, { ...parts, ...officialParts(sender, trouble), weight })]
  }
  return [
    ...laneConcerns(sender, facts),
    ...(sender.official === null ? [] : officialConcerns(sender, sender.official, facts.now)),
  ]
}

/** Null: more than a year. */
const isLong = (endsAt: number | null, now: number): boolean => endsAt === null || endsAt - now > LONG_LINE

const FIRST_CONTACTS = {
  lock: 'reach_out_lock',
  cap: 'new_chats_capped',
  wrong_numbers: 'wrong_numbers',
  new_link: 'new_link',
} as const

/** Concerns of a connected sender whose messages are held. */
function laneConcerns(sender: SenderFacts, { allPaused, now }: ConcernFacts): Concern[] {
  const { waiting, heldBy, heldUntil: until, firstContacts, newChatsNearlyUsed: chats } = sender
  if (sender.paused) return [senderConcern('paused', sender, { waiting })]
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
