import { type HeldSenders, holdSenders } from '../cluster/senders.ts'
import { shareSignals } from '../cluster/signals.ts'
import type { Connections } from '../connections/index.ts'
import { ApiError } from '../contract/errors.ts'
import { systemClock } from '../lib/clock.ts'
import { COMMAND } from '../lib/command.ts'
import { SECOND } from '../lib/time.ts'
import type { LaneSet } from '../messages/lanes.ts'
import type { NodeStore } from '../store/index.ts'
import { VERSION } from '../version.ts'
import type { Core } from './core.ts'

/** So long the acknowledgements of what is on its way are waited for before a sender is given back, in milliseconds. */
const LAST_ACKNOWLEDGEMENTS = 3 * SECOND

/** A new sender begins on the node that has room for it. */
export const startSomewhere =
  ({ store, bus }: Pick<Core, 'store' | 'bus'>, held: HeldSenders) =>
  async ({ id }: { id: number }): Promise<void> => {
    await held.look()
    if (store.nodes?.holds(id) === false) bus.emit('free_sender', { senderId: id })
  }

/** On a shared database: the connections of the senders that this node holds. */
export function createHeldSenders(
  core: Core,
  nodes: NodeStore,
  { connections, lanes }: { connections: Connections; lanes: LaneSet },
): HeldSenders {
  const { store, settings, startedAt, bus, logger, disposer } = core
  const unshare = shareSignals({
    nodes,
    senders: store.senders,
    endpoints: store.endpoints,
    reloadSettings: settings.reload,
    bus,
    logger,
  })
  disposer.defer('signals', unshare)
  const held = holdSenders({
    nodes,
    facts: () => ({
      url: urlOfNode(core),
      version: VERSION,
      startedAt,
    }),
    async begin(senderId) {
      const epoch = nodes.epochOf(senderId)
      // Another node may have made or linked it a moment ago.
      await nodes.refresh()
      const sender = store.senders.get(senderId)
      if (sender === undefined) return false
      await lanes.recover(senderId)
      // It may have been lost again, and another node have or have had it since.
      if (epoch === null || nodes.epochOf(senderId) !== epoch) return false
      await connections.start(sender)
      return true
    },
    end: (senderId, why) => connections.finish(senderId, why === 'lost' ? 0 : LAST_ACKNOWLEDGEMENTS),
    wake: lanes.wake,
    mayMove: (senderId) => connections.get(senderId)?.linking() == null,
    // Leases run by the time that passes, also where a test moves the clock.
    clock: systemClock,
    logger,
  })
  disposer.defer('held senders', held.stop)
  disposer.defer(
    'free senders',
    bus.on('free_sender', () => void held.look()),
  )
  return held
}

/** Address at which the other nodes reach this one. */
const urlOfNode = ({ config: { cluster, port }, settings, ports }: Core): string =>
  cluster?.url ?? `http://${cluster?.node}:${ports.api || (port ?? settings.get().port)}`

/** The `Host` of the requests of other nodes. */
export function namesOfNode(core: Core): string[] {
  // A name such as `node.1` makes no address.
  const url = core.config.cluster === undefined ? null : URL.parse(urlOfNode(core))
  return url === null ? [] : [url.host]
}

/** A backup holds files for a data folder. @throws ApiError `conflict` */
export function refuseRestore(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database. Restore the backup into a folder, and copy that with "${COMMAND} migrate-to".`,
  )
}

/** The key of what is sealed is changed while nothing else runs. @throws ApiError `conflict` */
export function refuseRotation(): Promise<never> {
  throw new ApiError(
    'conflict',
    `Several nodes share this database, and its data key stays. To change it, copy the database into a folder with "${COMMAND} migrate-to", change it there, and copy that back.`,
  )
}
