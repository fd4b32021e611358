import { Gauge, type Registry } from 'prom-client'
import { type Concern, createConcern } from '../contract/concerns.ts'
import { createBackground } from '../lib/background.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, DAY, MINUTE, SECOND, systemClock } from '../lib/clock.ts'
import type { Disposer } from '../lib/disposer.ts'
import type { Logger } from '../lib/logger.ts'
import { COMMAND } from '../lib/program.ts'
import type { StorageProblem } from '../lib/storage-error.ts'
import type { Channel } from '../messages/channel.ts'
import type { LaneSet } from '../messages/context.ts'
import type { NodeStore, Store } from '../store/index.ts'
import { type Deployment, nodeRoutes } from './deployment.ts'
import { forwardToHolder } from './forward.ts'
import { createReporter } from './reporter.ts'
import { type HeldSenders, holdSenders, type SenderRunner } from './senders.ts'
import { shareSignals } from './signals.ts'

/** Why features that need one data folder are missing, and what to use instead. */
const REFUSALS = {
  backupPlan: `Several nodes share this database. Have its server back it up, or make backups with "${COMMAND} backup FILE".`,
  restore: `Several nodes share this database. Restore the backup into a folder, and copy that with "${COMMAND} migrate-to".`,
  newDataKey: `Several nodes share this database, and its data key stays. To change it, copy the database into a folder with "${COMMAND} migrate-to", change it there, and copy that back.`,
  dropFolder: 'Several nodes share this database, and a drop folder belongs to one PC. Use POST /send.',
}

/** Wait for outstanding acknowledgements before this node gives a sender back (ms). */
const LAST_ACKNOWLEDGEMENTS = 3 * SECOND

interface NodesContext {
  store: Store
  reloadSettings: () => void
  /** The owner's token, which is the same on every node. */
  ownerToken: string
  /** Address at which other nodes reach this one. */
  ownUrl: () => string
  version: string
  startedAt: number
  bus: Bus
  clock: Clock
  logger: Logger
  disposer: Disposer
}

/** The deployment of one of several nodes on a database. */
export function oneOfSeveral(context: NodesContext, nodes: NodeStore): Deployment {
  const { store, reloadSettings, ownerToken, bus, clock, logger, disposer } = context
  let databaseCameOrWent = clock.now()
  disposer.defer(
    'silence of nodes',
    bus.on('storage', () => {
      databaseCameOrWent = clock.now()
    }),
  )
  disposer.defer('leases', nodes.leave)
  const isReporter = createReporter(nodes, ownerToken, clock)
  const background = createBackground({ clock, logger })
  const stopping = new AbortController()
  disposer.defer('looks after other nodes', () => {
    stopping.abort()
    return background.stop()
  })

  return {
    node: nodes.name,
    instance: nodes.instance,
    owns: nodes.holds,
    sharesSenders: true,
    // Each row costs a commit of its own on a shared database, even if several are written at once.
    claimedAtOnce: 1,
    fenced: {
      messages: { ...store.messages, change: nodes.fenced.changeMessage },
      senders: {
        ...store.senders,
        // The connection of a linked sender runs on the node that holds the sender. An official
        // sender has no connection, so its changes need no lease.
        change: (id, decide) => {
          const changing = store.senders.get(id)?.kind === 'official' ? store.senders.change : nodes.fenced.changeSender
          return changing(id, decide)
        },
      },
    },
    sharedFiles: nodes.files,
    refusals: REFUSALS,
    guard: async (lanes) => guardLanes(lanes, nodes),
    async start(running, lanes) {
      // Load the library first, so that the lease of a number does not expire between its check and
      // the start.
      await running.loadLibrary()
      const unshare = shareSignals(nodes, store, reloadSettings, bus, logger)
      disposer.defer('signals', unshare)
      const facts = () => ({ url: context.ownUrl(), version: context.version, startedAt: context.startedAt })
      const runner: SenderRunner = {
        async begin(senderId) {
          const epoch = nodes.epochOf(senderId)
          // Another node may have created or linked the sender a moment ago.
          await nodes.refresh()
          const sender = store.senders.get(senderId)
          if (sender === undefined) return false
          await lanes.recover(senderId)
          // The lease may have been lost since, and another node may have held it in between.
          if (epoch === null || nodes.epochOf(senderId) !== epoch) return false
          await running.start(sender)
          return true
        },
        end: (senderId, why) => running.finish(senderId, why === 'lost' ? 0 : LAST_ACKNOWLEDGEMENTS),
        wake: lanes.wake,
        mayMove: (senderId) => running.get(senderId)?.linking() == null,
      }
      // Leases expire in real time, even if a test moves the clock.
      const held: HeldSenders = holdSenders(nodes, facts, runner, systemClock, logger)
      disposer.defer('held senders', held.stop)
      disposer.defer(
        'free senders',
        bus.on('free_sender', () => void held.look()),
      )
      await held.start()
      // A new sender starts on the node that has room for it.
      return async ({ id }) => {
        await held.look()
        if (!nodes.holds(id)) bus.emit('free_sender', { senderId: id })
      }
    },
    refresh: async () => (store.problem() === null ? nodes.refresh() : undefined),
    forwardWith: (isRunning, readBody) =>
      forwardToHolder({ nodes, senders: store.senders, isRunning, ownerToken, readBody, clock: systemClock }),
    hostNames() {
      // A host name such as `node.1` cannot be parsed as a URL.
      const url = URL.parse(context.ownUrl())
      return url === null ? [] : [url.host]
    },
    mayTellOwner: isReporter,
    lookAfterOthers: (name, look) =>
      background.every(name, MINUTE, async () => {
        if (await isReporter(stopping.signal)) look()
      }),
    async concerns(awakeSince) {
      const problem = store.problem()
      const gone = await findGone(nodes, problem, clock.now() - Math.max(awakeSince, databaseCameOrWent))
      const filesFail = problem === null && nodes.files.problem() !== null
      return [...(filesFail ? [createConcern('files_unavailable')] : []), ...gone.map(nodeConcern)]
    },
    routes: nodeRoutes(nodes),
    measure: (registry) => measure(nodes, registry),
  }
}

function measure(nodes: NodeStore, registry: Registry): void {
  const gauges = {
    leases: ['kurir_leases', 'Senders that this node holds.'],
    takenOver: [
      'kurir_lease_takeovers',
      'Senders that this node took over from nodes that were gone, since its start.',
    ],
    fenced: ['kurir_fenced_writes', 'Writes that were refused because the sender had moved on, since the start.'],
  } as const
  for (const [kind, [name, help]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(nodes.counts()[kind as keyof typeof gauges])
      },
    })
  }
}

/** Returns lanes that send only while this node holds their sender, with some seconds to spare. */
function guardLanes(lanes: LaneSet, nodes: NodeStore): LaneSet {
  const guard = (senderId: number, channel: Channel): Channel => ({
    ...channel,
    ready: () => nodes.holds(senderId) && channel.ready(),
    // Check again, because this program may have stood still since the message was claimed.
    send: (message, file) =>
      nodes.holds(senderId)
        ? channel.send(message, file)
        : Promise.resolve({ outcome: Promise.resolve({ kind: 'offline' }) }),
  })
  return { ...lanes, open: (senderId, channel) => lanes.open(senderId, guard(senderId, channel)) }
}

/**
 * A node counts as gone if it was silent for this long while this node heard the others. A restart
 * takes less.
 */
const GONE_AFTER = MINUTE

/**
 * After this time a lost node is only a note: a container, for example, never comes back under its
 * name.
 */
const GONE_IS_NEWS_FOR = DAY

interface Gone {
  name: string
  seenAt: number
  /** Milliseconds since the node was last heard of. */
  silentFor: number
}

/**
 * Finds nodes that ended without signing off.
 * @param heardForMs milliseconds for which this node has heard of the others without a break
 */
export async function findGone(
  { name: own, list }: { name: string; list: NodeStore['list'] },
  problem: StorageProblem | null,
  heardForMs: number,
): Promise<Gone[]> {
  // While nothing can be written, no node can report that it runs. After that, and after a start,
  // running nodes need a moment to do so.
  if (problem !== null || heardForMs < GONE_AFTER) return []
  const rows = await list()
  return rows.filter(({ name, silentFor }) => name !== own && silentFor >= GONE_AFTER)
}

/** Describes a lost node for the owner. Times are of the database's clock. Pure. */
export const nodeConcern = ({ name, seenAt, silentFor }: Gone): Concern =>
  createConcern('node_gone', {
    id: `node_gone/${name}`,
    detail: name,
    since: seenAt,
    page: '/nodes',
    ...(silentFor < GONE_IS_NEWS_FOR ? {} : { weight: 'note' }),
  })
