import type { Status } from '../contract/messages.ts'

/**
 * The one table of transitions, for every channel. Reports come late, twice and out of order: what
 * is not listed is ignored. `sending → queued` happens only when it is certain that nothing left
 * the PC. A message that was given up (`failed`) may still turn out to have arrived.
 */
const NEXT: Record<Status, readonly Status[]> = {
  queued: ['sending', 'sent', 'delivered', 'read', 'failed', 'cancelled'],
  sending: ['queued', 'accepted', 'sent', 'delivered', 'read', 'failed'],
  accepted: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  failed: ['delivered', 'read'],
  delivered: ['read'],
  read: [],
  cancelled: [],
}

export const mayBecome = (current: Status, next: Status): boolean => NEXT[current].includes(next)
