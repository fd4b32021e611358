import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Registry } from 'prom-client'
import type { Concern } from '../contract/concerns.ts'
import { ApiError } from '../contract/errors.ts'
import { emptyAnswer } from '../contract/fields.ts'
import { nodeParams, nodesAnswer } from '../contract/operation.ts'
import type { Forward } from '../http/context.ts'
import { defineRoute, ok, type Route } from '../http/route.ts'
import { isoTime } from '../lib/clock.ts'
import { COMMAND } from '../lib/program.ts'
import type { LaneSet } from '../messages/context.ts'
import type { MessageStore, NodeStore, SenderRow, SenderStore, Store } from '../store/index.ts'

export interface Running {
  /** Undefined for official senders, which have no connection. */
  get(senderId: number): { linking(): unknown } | undefined
  start(sender: SenderRow): Promise<void>
  startAll(): Promise<void>
  /** Loads WhatsApp's library before the first linked number needs it. */
  loadLibrary(): Promise<unknown>
  finish(senderId: number, within?: number): Promise<void>
}

/**
 * How this Kurir runs: alone, or as one of several nodes. The rest of the program does not know the
 * difference.
 */
export interface Deployment {
  /** Name of this node; null: this program runs alone. */
  node: string | null
  /** Id of this run of the program. A secret; a proof is valid for one run only. */
  instance: string
  /** True if this program sends for a sender now. */
  owns(senderId: number): boolean
  /** True if another program may send for the same senders at another time. */
  sharesSenders: boolean
  /** Number of messages that a lane claims at once; undefined: no limit. */
  claimedAtOnce: number | undefined
  /** Changes of messages and linked senders that fail once another program owns the sender. */
  fenced: { messages: MessageStore; senders: SenderStore }
  /** Bytes of files, where all programs find them; null: the data folder holds them. */
  sharedFiles: NodeStore['files'] | null
  /**
   * Why features are missing that need a data folder of their own; null: all features are
   * available.
   */
  refusals: { backupPlan: string; restore: string; newDataKey: string; dropFolder: string } | null
  /**
   * Returns lanes that send only for senders of this program. Settles messages that a crash
   * interrupted.
   */
  guard(lanes: LaneSet): Promise<LaneSet>
  /**
   * Starts the senders that this program owns. Resolves with a function that starts a new sender.
   */
  start(running: Running, lanes: LaneSet): Promise<(sender: SenderRow) => Promise<void>>
  /** Reads changes of other programs; undefined: this program runs alone. */
  refresh: (() => Promise<void>) | undefined
  /** Forwards a call to the program that owns the sender; undefined: there is no other program. */
  forwardWith(
    isRunning: (senderId: number) => boolean,
    readBody: (req: IncomingMessage) => Promise<Buffer>,
  ): Forward | undefined
  /** Names in the `Host` header of calls from other nodes. */
  hostNames(): string[]
  /** False while another program notifies the owner. Ask once a minute. */
  mayTellOwner(signal: AbortSignal): Promise<boolean>
  /** Makes one of the programs call `look` each minute, for work that others left unfinished. */
  lookAfterOthers(name: string, look: () => void): void
  /** @param awakeSince when this PC woke up */
  concerns(awakeSince: number): Promise<Concern[]>
  routes: Route[]
  measure(registry: Registry): void
}

/** The deployment of a program that is alone on its data folder. */
export const alone = ({ messages, senders }: Store): Deployment => ({
  node: null,
  instance: randomUUID(),
  owns: () => true,
  sharesSenders: false,
  claimedAtOnce: undefined,
  fenced: { messages, senders },
  sharedFiles: null,
  refusals: null,
  async guard(lanes) {
    await lanes.recover()
    return lanes
  },
  async start(running) {
    await running.startAll()
    return running.start
  },
  refresh: undefined,
  forwardWith: () => undefined,
  hostNames: () => [],
  mayTellOwner: async () => true,
  lookAfterOthers: () => undefined,
  concerns: async () => [],
  routes: nodeRoutes(null),
  measure: () => undefined,
})

const owner = { auth: 'owner', tag: 'Operation' } as const

export const nodeRoutes = (nodes: NodeStore | null): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/nodes',
    summary: 'List the nodes that share the database',
    description:
      'Nodes are Kurir processes that share one database. The list is empty if this Kurir has a database of its own.',
    answer: nodesAnswer,
    handler: async () => {
      const rows = (await nodes?.list()) ?? []
      const views = rows.map(({ instance, startedAt, seenAt, silentFor, takenOver, ...row }) => ({
        ...row,
        started_at: isoTime(startedAt),
        seen_at: isoTime(seenAt),
        taken_over: takenOver,
        this: row.name === nodes?.name,
      }))
      return ok('Nodes.', views)
    },
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/nodes/{name}',
    summary: 'Remove a failed node from the list',
    description: '409 if the node is running. A node that was shut down properly removes itself.',
    params: nodeParams,
    answer: emptyAnswer,
    handler: async ({ params: { name } }) => {
      switch ((await nodes?.forget(name)) ?? 'unknown') {
        case 'alive':
          throw new ApiError(
            'conflict',
            `${name} runs, or did so 15 seconds ago. Stop it: then it leaves the list by itself.`,
          )
        case 'unknown':
          throw new ApiError('not_found', `There is no node ${name}. "${COMMAND} nodes" shows which ones there are.`)
        case 'forgotten':
          return ok('Taken out of the list.', {})
      }
    },
  }),
]
