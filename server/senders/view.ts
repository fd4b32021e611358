import type { SenderSummary, SenderView } from '../contract/senders.ts'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { localDay } from '../lib/local-time.ts'
import type { Gate } from '../messages/gates.ts'
import type { LaneState } from '../store/sqlite/lanes.ts'
import type { SenderRow } from '../store/sqlite/senders.ts'

/** What is known of a sender beside its row. */
export interface SenderFacts {
  lane: LaneState
  gate: Gate
  waiting: number
  linking: SenderView['linking']
  official: SenderView['official']
}

export const shownState = (sender: SenderRow): SenderView['state'] => (sender.paused ? 'paused' : sender.state)

export const senderSummary = (sender: SenderRow): SenderSummary => ({
  sender_code: sender.code,
  name: sender.settings.name,
  kind: sender.kind,
  state: shownState(sender),
  phone: sender.phone,
})

function holding(sender: SenderRow, { gate, waiting }: SenderFacts): Pick<SenderView, 'held_by' | 'next_send_at'> {
  if (waiting === 0) return { held_by: null, next_send_at: null }
  if (sender.paused) return { held_by: 'paused', next_send_at: null }
  if (sender.state !== 'connected') return { held_by: 'not_connected', next_send_at: null }
  return { held_by: gate.heldBy, next_send_at: gate.heldBy === null ? null : isoTime(gate.at) }
}

export function senderView(sender: SenderRow, facts: SenderFacts, now: number): SenderView {
  const { lane, linking } = facts
  const { pacing, daily_cap, quiet_hours, country_code } = sender.settings
  return {
    ...senderSummary(sender),
    reason: sender.reason,
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
    ...holding(sender, facts),
    sent_today: lane.day === localDay(now) ? lane.sentOnDay : 0,
    last_sent_at: isoTimeOrNull(lane.lastSentAt),
    first_contacts_wait_until: lane.restrictedUntil > now ? isoTime(lane.restrictedUntil) : null,
    official: facts.official,
    created_at: isoTime(sender.createdAt),
  }
}
