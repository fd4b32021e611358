import { CHANNELS } from '../contract/messages.ts'
import type { Change, Message } from '../store/index.ts'
import type { LaneContext, LaneSet } from './context.ts'
import { createLane, type Lane } from './lane.ts'
import { afterOutcome } from './status.ts'

/** One lane per sender; lanes never wait for each other. */
export function createLanes(context: LaneContext): LaneSet {
  const lanes = new Map<number, Lane>()
  let suspended = false
  const isHeld = () => suspended || context.allPaused()
  const unsubscribe = context.bus.on('lane', ({ senderId }) => lanes.get(senderId)?.wake())

  /** Due at once: it goes before all others, so that nothing that came later overtakes it. */
  function interrupted(message: Message): Change | null {
    const now = context.clock.now()
    const kind = message.channel === 'template' ? 'in_doubt' : 'unknown'
    const outcome = { kind, reason: 'Kurir was stopped in the middle' } as const
    const change = afterOutcome(message, outcome, now, { retry: context.retry, doubtful: true })
    return change === null || change.nextAt === null ? change : { ...change, nextAt: now }
  }

  return {
    open(senderId, channel) {
      if (lanes.has(senderId)) return
      lanes.set(senderId, createLane(context, { senderId, channel, isHeld }))
    },
    async shut(senderId, ms) {
      const lane = lanes.get(senderId)
      lanes.delete(senderId)
      await lane?.stop(ms)
    },
    wake: (senderId) => lanes.get(senderId)?.wake(),
    isInFlight: (senderId, seq) => lanes.get(senderId)?.isInFlight(seq) ?? false,
    isSuspended: () => suspended,
    suspend() {
      suspended = true
    },
    resume() {
      suspended = false
      for (const lane of lanes.values()) lane.wake()
    },
    async recover(senderId) {
      for (const channel of CHANNELS) {
        const left = await context.queues.interrupted(channel)
        const ours = left.filter(({ laneId }) => senderId === undefined || laneId === senderId)
        await Promise.all(ours.map(({ seq }) => context.record.change({ seq }, interrupted)))
      }
    },
    async stop(ms) {
      unsubscribe()
      await Promise.all([...lanes.values()].map((lane) => lane.stop(ms)))
    },
  }
}
