import type { MessageRow } from '../contract/messages.ts'
import type { Message, MessageStore, SenderStore, SendingStateStore } from '../store/index.ts'
import { nextOpening, stoppedBy } from './gates.ts'
import { type Hold, holdOf, type QueueFacts } from './hold.ts'
import type { LaneSet } from './lanes.ts'
import { messageRow } from './view.ts'

export interface MessageRowsDeps {
  messages: MessageStore
  senders: SenderStore
  sendingState: SendingStateStore
  lanes: Pick<LaneSet, 'isSuspended' | 'isInFlight'>
  allPaused: () => boolean
  /** By the id of the message. */
  beingCancelled: Pick<ReadonlyMap<string, number>, 'has'>
  now: () => number
}

export interface MessageRows {
  /** In the same order. `whole` leaves the texts uncut. */
  of(messages: readonly Message[], whole?: boolean): Promise<MessageRow[]>
}

/** Messages as lists show them, with the reason of those that wait. */
export function createMessageRows(deps: MessageRowsDeps): MessageRows {
  const { messages, senders, sendingState, lanes, allPaused, beingCancelled, now } = deps

  async function queueOf(senderId: number, at: number): Promise<QueueFacts | undefined> {
    const sender = senders.get(senderId)
    if (sender === undefined) return undefined
    const sending = await sendingState.get(senderId)
    const [next] = await messages.due(senderId, at, 1)
    const stopped = stoppedBy({
      paused: sender.paused || allPaused(),
      connected: sender.state === 'connected',
      otherPhone: sender.previousPhone !== null,
    })
    return {
      stoppedBy: stopped ?? (lanes.isSuspended() ? 'suspended' : null),
      gate: nextOpening(sender.settings, sending, at),
      sending,
      firstContacts: sender.firstContacts,
      next: next?.seq ?? null,
      isInFlight: (seq) => lanes.isInFlight(senderId, seq),
      isBeingCancelled: (id) => beingCancelled.has(id),
    }
  }

  return {
    async of(rows, whole = false) {
      const at = now()
      // Each sender is looked at once for a whole page.
      const waiting = new Set(rows.filter(({ nextAt }) => nextAt !== null).map(({ laneId }) => laneId))
      const queues = new Map(await Promise.all([...waiting].map(async (id) => [id, await queueOf(id, at)] as const)))
      return rows.map((message) => {
        const queue = queues.get(message.laneId)
        const hold: Hold = queue === undefined ? { heldBy: null, until: null } : holdOf(message, queue, at)
        return messageRow(message, { codeOf: senders.codeOf, hold, whole })
      })
    },
  }
}
