import type { NewChats, SenderState, SenderSummary, SenderView } from '../contract/senders.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { localDay } from '../lib/local-time.ts'
import { nextOpening, queueEnd, stoppedBy } from '../messages/gates.ts'
import type { SenderRow, SendingState } from '../store/index.ts'

export interface SenderFacts {
  allPaused: boolean
  sending: SendingState
  waiting: number
  /** Messages that could leave now. */
  due: number
  linking: SenderView['linking']
  official: SenderView['official']
  secondRoad: SenderView['second_road']
}

export const shownState = (sender: SenderRow, allPaused: boolean): SenderState =>
  sender.paused || allPaused ? 'paused' : sender.state

export const senderSummary = (sender: SenderRow, allPaused: boolean): SenderSummary => ({
  sender_code: sender.code,
  name: sender.settings.name,
  kind: sender.kind,
  state: shownState(sender, allPaused),
  phone: sender.phone,
})

function holding(
  sender: SenderRow,
  { allPaused, sending, waiting, due }: SenderFacts,
  now: number,
): Pick<SenderView, 'held_by' | 'next_send_at' | 'queue_ends_at'> {
  if (waiting === 0) return { held_by: null, next_send_at: null, queue_ends_at: null }
  const stopped = stoppedBy({
    paused: sender.paused || allPaused,
    connected: sender.state === 'connected',
    otherPhone: sender.previousPhone !== null,
  })
  if (stopped !== null) return { held_by: stopped, next_send_at: null, queue_ends_at: null }
  const gate = nextOpening(sender.settings, sending, now)
  const queue_ends_at = due === 0 ? null : isoTimeOrNull(queueEnd(sender.settings, sending, due, now))
  if (gate.heldBy !== null) return { held_by: gate.heldBy, next_send_at: isoTime(gate.at), queue_ends_at }
  const { heldBy, until } = sender.firstContacts ?? { heldBy: null, until: null }
  return (heldBy === 'wrong_numbers' || heldBy === 'new_link') && until !== null && until > now
    ? { held_by: heldBy, next_send_at: isoTime(until), queue_ends_at }
    : { held_by: null, next_send_at: null, queue_ends_at }
}

/**
 * Returns until when first contacts wait: the lane's guess or the connection's knowledge, whichever
 * is later. Null: first contacts need not wait.
 */
function firstContactsWaitUntil({ firstContacts }: SenderRow, { restrictedUntil }: SendingState, now: number) {
  const until = Math.max(restrictedUntil, firstContacts?.until ?? 0)
  return until > now ? isoTime(until) : null
}

/** Returns WhatsApp's cap on new chats as callers and the owner read it. */
export function newChatsView({ firstContacts }: SenderRow): NewChats | null {
  const cap = firstContacts?.newChats ?? null
  return cap && { used: cap.used, total: cap.total, resets_at: isoTimeOrNull(cap.resetsAt), warning: cap.warning }
}

export function senderView(sender: SenderRow, facts: SenderFacts, now: number): SenderView {
  const { sending, linking } = facts
  const { pacing, daily_cap, quiet_hours, country_code } = sender.settings
  const restriction = sender.state === 'restricted' ? facts.official?.account : null
  return {
    ...senderSummary(sender, facts.allPaused),
    // `linking` may replace only `unlinked`; any other state is news that the owner must see.
    ...(linking !== null && sender.state === 'unlinked' && !sender.paused && !facts.allPaused
      ? { state: 'linking' as const }
      : {}),
    connection: sender.state,
    reason: sender.reason,
    reason_detail: sender.reasonDetail ?? restriction?.detail ?? null,
    until: isoTimeOrNull(sender.until) ?? restriction?.until ?? null,
    since: isoTime(sender.since),
    account_name: sender.accountName,
    linking,
    qr: linking?.qr ?? null,
    pairing_code: linking?.pairing_code ?? null,
    expires_at: linking?.expires_at ?? null,
    paused: sender.paused,
    pacing,
    daily_cap,
    quiet_hours,
    country_code,
    waiting: facts.waiting,
    ...holding(sender, facts, now),
    sent_today: sending.day === localDay(now) ? sending.sentOnDay : 0,
    last_sent_at: isoTimeOrNull(sending.lastSentAt),
    first_contacts_wait_until: firstContactsWaitUntil(sender, sending, now),
    new_chats: newChatsView(sender),
    previous_phone: sender.previousPhone,
    second_road: facts.secondRoad,
    official: facts.official,
    created_at: isoTime(sender.createdAt),
  }
}
