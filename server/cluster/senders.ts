import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { SECOND } from '../lib/time.ts'
import type { NodeFacts, NodeStore } from '../store/index.ts'

const RENEWED_EVERY = 5 * SECOND
const LOOKED_AT_EVERY = SECOND

export interface HeldSendersDeps {
  nodes: Pick<NodeStore, 'renew' | 'holds' | 'release' | 'surplus'>
  facts: () => NodeFacts
  /** This node holds a sender from now on: its connection and lane begin. Resolves with false where it is not known yet. */
  begin: (senderId: number) => Promise<boolean>
  /** It does not hold it any more: they end, and nothing more is written for it. */
  end: (senderId: number) => Promise<void>
  /** Something may have happened that this node did not hear of. */
  wake: (senderId: number) => void
  /** Whether it may be given to another node now: not while it is being linked. */
  mayMove: (senderId: number) => boolean
  clock: Clock
  logger: Logger
}

export interface HeldSenders {
  /** Looks for free senders now: at the start, or when one was created. */
  look(): Promise<void>
  /** Takes nothing more. What is held runs on for a few seconds, in which the rest of the program ends. */
  stop(): Promise<void>
}

/** Keeps the leases of this node, and runs the connections of the senders that it holds. */
export function holdSenders({ nodes, facts, begin, end, wake, mayMove, clock, logger }: HeldSendersDeps): HeldSenders {
  const running = new Set<number>()
  /** Connections that are being closed: one that is won again meanwhile begins after that. */
  const ending = new Map<number, Promise<void>>()
  let stopped = false
  let cancelRenew = (): void => {}
  let cancelLook = (): void => {}
  // One after the other: a sender that is lost and won again ends before it begins.
  let work = Promise.resolve()

  function inOrder(job: () => Promise<void>): Promise<void> {
    work = work
      .then(job)
      .catch((error: unknown) => logger.warn({ err: error }, 'leases of senders could not be renewed'))
    return work
  }

  async function endLost(): Promise<void> {
    for (const senderId of [...running]) {
      if (nodes.holds(senderId)) continue
      running.delete(senderId)
      logger.warn({ sender: senderId }, 'this node does not hold a sender any more')
      const ended = end(senderId).finally(() => ending.delete(senderId))
      ending.set(senderId, ended)
      await ended
    }
  }

  /** Gives back what other nodes are free to take, one at a time. */
  async function giveBack(): Promise<void> {
    if ((await nodes.surplus()) === 0) return
    const senderId = [...running].findLast(mayMove)
    if (senderId === undefined) return
    running.delete(senderId)
    await end(senderId)
    await nodes.release(senderId)
  }

  async function renew(): Promise<void> {
    if (stopped) return
    const held = await nodes.renew(facts())
    await endLost()
    for (const senderId of held) {
      if (stopped) return
      if (running.has(senderId)) {
        wake(senderId)
        continue
      }
      await ending.get(senderId)
      // One that did not begin is tried again with the next renewal.
      if (await begin(senderId)) running.add(senderId)
    }
    await giveBack()
  }

  function plan(): void {
    cancelRenew = clock.after(RENEWED_EVERY, () => {
      plan()
      void inOrder(renew)
    })
  }

  /** A database that does not answer renews nothing: then the connection ends before another node begins its own. */
  function watch(): void {
    cancelLook = clock.after(LOOKED_AT_EVERY, () => {
      watch()
      if ([...running].some((senderId) => !nodes.holds(senderId)))
        endLost().catch((error: unknown) => logger.error({ err: error }, 'a connection could not be closed'))
    })
  }

  plan()
  watch()

  return {
    look: () => inOrder(renew),
    async stop() {
      stopped = true
      cancelRenew()
      cancelLook()
      await work
    },
  }
}
