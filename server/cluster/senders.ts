import { type Clock, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { NodeFacts, NodeStore } from '../store/index.ts'

const RENEWED_EVERY = 3 * SECOND
const LOOKED_AT_EVERY = SECOND

/** Connections and lanes of the senders that this node holds. */
export interface SenderRunner {
  /**
   * This node holds a sender from now on: its connection and lane begin. Resolves with false where
   * it is not known yet.
   */
  begin: (senderId: number) => Promise<boolean>
  /**
   * They end, and nothing more is written for it: it does not hold it any more, or gives it back;
   * then what is on its way may be waited for.
   */
  end: (senderId: number, why: 'lost' | 'given_back') => Promise<void>
  /** Something may have happened that this node did not hear of. */
  wake: (senderId: number) => void
  /** True if it may be given to another node now: not while it is being linked. */
  mayMove: (senderId: number) => boolean
}

export interface HeldSenders {
  /**
   * The first look.
   * @throws StorageError `same_name`: another node of this name began at the same moment
   */
  start(): Promise<void>
  /** Looks for free senders now. Resolves when those that it got have begun. */
  look(): Promise<void>
  /** Takes nothing more. What is held runs on for seconds, in which the program ends. */
  stop(): Promise<void>
}

/** Keeps the leases of this node, and runs the connections of the senders that it holds. */
export function holdSenders(
  nodes: Pick<NodeStore, 'renew' | 'epochOf' | 'release' | 'surplus'>,
  facts: () => NodeFacts,
  { begin, end, wake, mayMove }: SenderRunner,
  clock: Clock,
  logger: Logger,
): HeldSenders {
  /**
   * Each with the epoch in which it began: one that was lost and won again begins again, from what
   * others wrote since.
   */
  const running = new Map<number, number>()
  /** The current job of each sender; the next one waits. */
  const busy = new Map<number, Promise<void>>()
  let stopped = false
  let cancelRenew = (): void => {}
  let cancelLook = (): void => {}
  // One after the other. They wait for no connection, or the leases of all would run out over one
  // that closes slowly.
  let renewals = Promise.resolve()

  function alone(senderId: number, job: () => Promise<void>): void {
    const done = job()
      .catch((err: unknown) => logger.error({ err, sender: senderId }, 'a sender could not begin or end here'))
      .finally(() => busy.delete(senderId))
    busy.set(senderId, done)
  }

  /**
   * Brings what runs here for a sender in line with what is held. What cannot be done now is done
   * with the next look.
   */
  function follow(senderId: number): void {
    const epoch = nodes.epochOf(senderId)
    if (stopped || busy.has(senderId) || (running.get(senderId) ?? null) === epoch) return
    alone(senderId, async () => {
      if (running.delete(senderId)) {
        logger.warn({ sender: senderId }, 'this node does not hold a sender any more')
        await end(senderId, 'lost')
      } else if (epoch !== null && (await begin(senderId))) running.set(senderId, epoch)
    })
  }

  /** Gives back what other nodes are free to take, one at a time. */
  async function giveBack(): Promise<void> {
    if ((await nodes.surplus()) === 0) return
    const senderId = [...running.keys()].findLast((id) => !busy.has(id) && mayMove(id))
    if (senderId === undefined || stopped) return
    alone(senderId, async () => {
      running.delete(senderId)
      await end(senderId, 'given_back')
      await nodes.release(senderId)
    })
  }

  async function renew(): Promise<void> {
    if (stopped) return
    const held = await nodes.renew(facts())
    for (const senderId of running.keys()) follow(senderId)
    for (const senderId of held) {
      if (running.has(senderId)) wake(senderId)
      else follow(senderId)
    }
    await giveBack()
  }

  const failed = (err: unknown) => logger.warn({ err }, 'leases of senders could not be renewed')

  function renewNow(): Promise<void> {
    renewals = renewals.then(renew).catch(failed)
    return renewals
  }

  function plan(): void {
    cancelRenew = clock.after(RENEWED_EVERY, () => {
      plan()
      void renewNow()
    })
  }

  /** A database that is silent renews nothing: the connection ends before another begins. */
  function watch(): void {
    cancelLook = clock.after(LOOKED_AT_EVERY, () => {
      watch()
      for (const senderId of running.keys()) follow(senderId)
    })
  }

  plan()
  watch()

  return {
    async start() {
      const first = renewals.then(renew)
      renewals = first.catch(failed)
      await first.catch((error: unknown) => {
        if (error instanceof StorageError && error.problem === 'same_name') throw error
      })
      await Promise.all(busy.values())
    },
    async look() {
      await renewNow()
      await Promise.all(busy.values())
    },
    async stop() {
      stopped = true
      cancelRenew()
      cancelLook()
      await renewals
      await Promise.all(busy.values())
    },
  }
}
