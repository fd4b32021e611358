import type { Channel } from '../messages/channel.ts'
import type { LaneSet } from '../messages/context.ts'
import type { MessageStore, NodeStore } from '../store/index.ts'

/** Changes that only the node may make that holds the sender. */
export const asHolder = (messages: MessageStore): MessageStore => ({
  ...messages,
  change: (ref, decide, options) => messages.change(ref, decide, { ...options, asHolder: true }),
})

/** Lanes that send only while this node holds their sender, with some seconds to spare. */
export function guardLanes(lanes: LaneSet, nodes: NodeStore): LaneSet {
  const guard = (senderId: number, channel: Channel): Channel => ({
    ...channel,
    ready: () => nodes.holds(senderId) && channel.ready(),
    // Looked at once more: this program may have stood still since the message was claimed.
    send: (message, file) =>
      nodes.holds(senderId)
        ? channel.send(message, file)
        : Promise.resolve({ outcome: Promise.resolve({ kind: 'offline' }) }),
  })
  return { ...lanes, open: (senderId, channel) => lanes.open(senderId, guard(senderId, channel)) }
}
