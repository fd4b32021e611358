import type { Bus } from '../lib/bus.ts'
import type { Change, Message } from '../store/rows.ts'
import type { Messages } from '../store/sqlite/messages.ts'
import type { Channel } from './channel.ts'
import { createLane, type Lane, type LaneDeps } from './lane.ts'
import { afterOutcome } from './outcome.ts'

export interface LanesDeps extends Omit<LaneDeps, 'senderId' | 'sender' | 'channel' | 'messages'> {
  messages: LaneDeps['messages'] & Pick<Messages, 'interrupted'>
  senderOf: (id: number) => ReturnType<LaneDeps['sender']>
  bus: Bus
}

export interface LaneSet {
  /** Begins (or keeps) the lane of a sender. */
  open(senderId: number, channel: Channel): void
  shut(senderId: number): Promise<void>
  wake(senderId: number): void
  /** The PC goes to sleep: nothing new leaves until `release`. */
  hold(): void
  release(): void
  /** Settles what a crash left in the middle. Before the first lane opens. */
  recover(): Promise<void>
  stop(ms: number): Promise<void>
}

/** One lane per sender; lanes never wait for each other. */
export function createLanes(deps: LanesDeps): LaneSet {
  const lanes = new Map<number, Lane>()
  let held = false
  const unsubscribe = deps.bus.on('lane', ({ senderId }) => lanes.get(senderId)?.wake())

  function senderOf(senderId: number): ReturnType<LaneDeps['sender']> {
    const sender = deps.senderOf(senderId)
    return held && sender !== undefined ? { ...sender, paused: true } : sender
  }

  function release(): void {
    held = false
    for (const lane of lanes.values()) lane.wake()
  }

  /** Sent once more before all others, not after a wait: nothing that came later may overtake it. */
  function interrupted(message: Message): Change | null {
    const now = deps.clock.now()
    const outcome = { kind: 'unknown', reason: 'Kurir was stopped in the middle' } as const
    const change = afterOutcome(message, outcome, now, { retry: deps.retry, doubtful: true })
    return change === null || change.nextAt === null ? change : { ...change, nextAt: now }
  }

  return {
    open(senderId, channel) {
      if (lanes.has(senderId)) return
      lanes.set(senderId, createLane({ ...deps, senderId, channel, sender: () => senderOf(senderId) }))
    },
    async shut(senderId) {
      const lane = lanes.get(senderId)
      lanes.delete(senderId)
      await lane?.stop(0)
    },
    wake: (senderId) => lanes.get(senderId)?.wake(),
    hold() {
      held = true
    },
    release,
    async recover() {
      const changes = deps.messages.interrupted('standard').map(({ seq }) => deps.record.change({ seq }, interrupted))
      await Promise.all(changes)
    },
    async stop(ms) {
      unsubscribe()
      await Promise.all([...lanes.values()].map((lane) => lane.stop(ms)))
    },
  }
}
