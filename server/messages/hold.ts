import type { HeldBy } from '../contract/messages.ts'
import type { Message, SenderRow, SendingState } from '../store/index.ts'
import type { Gate } from './gates.ts'

/** Why a message has not left yet; `until` is the end of that reason, null where it is unknown. */
export interface Hold {
  heldBy: HeldBy | null
  until: number | null
}

/** Facts about the queue that a message waits in. */
export interface QueueFacts {
  /** Cause that stops the whole sender. */
  stoppedBy: 'paused' | 'not_connected' | 'suspended' | 'other_phone' | null
  gate: Gate
  sending: Pick<SendingState, 'restrictedUntil'>
  /** The connection's knowledge of messages to people that the number never wrote to. */
  firstContacts: SenderRow['firstContacts']
  /** `seq` of the message that is next. */
  next: number | null
  isInFlight: (seq: number) => boolean
  /** True while the owner is cancelling it and may still keep it. */
  isBeingCancelled: (id: string) => boolean
}

const NOT_HELD: Hold = { heldBy: null, until: null }

/**
 * Why a message waits: first what the owner is about to do with it, then its own time, then its
 * sender, then what is left of the others. Pure.
 */
export function holdOf(
  message: Pick<Message, 'id' | 'seq' | 'nextAt' | 'dueAt' | 'attempts'>,
  queue: QueueFacts,
  now: number,
): Hold {
  const { id, seq, nextAt, dueAt, attempts } = message
  if (nextAt === null || queue.isInFlight(seq)) return NOT_HELD
  if (queue.isBeingCancelled(id)) return { heldBy: 'cancelling', until: null }
  if (attempts === 0 && dueAt > now) return { heldBy: 'delay', until: dueAt }
  if (queue.stoppedBy !== null) return { heldBy: queue.stoppedBy, until: null }
  if (nextAt > now) {
    const { firstContacts: known } = queue
    if (attempts === 0 && nextAt === known?.until) {
      const { heldBy } = known
      const byKurir = heldBy === 'wrong_numbers' || heldBy === 'new_link'
      return { heldBy: byKurir ? heldBy : 'first_contacts', until: nextAt }
    }
    const isStranger = attempts === 0 && nextAt === queue.sending.restrictedUntil
    return { heldBy: isStranger ? 'first_contacts' : 'retry', until: nextAt }
  }
  const { heldBy, at } = queue.gate
  // These hold everybody alike; pacing is between the next message and the one before it.
  if (heldBy === 'quiet_hours' || heldBy === 'daily_cap') return { heldBy, until: at }
  if (seq !== queue.next) return { heldBy: 'queue', until: null }
  return heldBy === null ? NOT_HELD : { heldBy, until: at }
}
