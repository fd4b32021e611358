import { type Clock, SECOND } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { NodeFacts, NodeStore } from '../store/index.ts'

const RENEWED_EVERY = 3 * SECOND
const LOOKED_AT_EVERY = SECOND

/** Starts and ends connections and lanes of the senders that this node holds. */
export interface SenderRunner {
  /**
   * Starts the connection and the lane of a sender whose lease this node got. Resolves with false
   * if the sender is not known yet.
   */
  begin: (senderId: number) => Promise<boolean>
  /**
   * Ends the connection and the lane, and writes nothing more for the sender: its lease was lost or
   * is given back. A lease that is given back leaves time to wait for messages on their way.
   */
  end: (senderId: number, why: 'lost' | 'given_back') => Promise<void>
  /** Makes the lane look for changes that this node did not hear of. */
  wake: (senderId: number) => void
  /** True if the sender may be given to another node; false while it is being linked. */
  mayMove: (senderId: number) => boolean
}

export interface HeldSenders {
  /**
   * Renews leases for the first time.
   * @throws StorageError `same_name`: another node with this name started at the same moment
   */
  start(): Promise<void>
  /** Looks for free senders. Resolves when the senders that this node got are started. */
  look(): Promise<void>
  /** Takes no further lease. The held leases last some seconds more, in which the program ends. */
  stop(): Promise<void>
}

/** Keeps the leases of this node, and runs the senders that this node holds. */
export function holdSenders(
  nodes: Pick<NodeStore, 'renew' | 'epochOf' | 'release' | 'surplus'>,
  facts: () => NodeFacts,
  { begin, end, wake, mayMove }: SenderRunner,
  clock: Clock,
  logger: Logger,
): HeldSenders {
  /**
   * Running senders with the epoch of their lease. A sender whose lease was lost and won again
   * starts again from what others wrote since.
   */
  const running = new Map<number, number>()
  /** The current job of each sender. The next job waits for it. */
  const busy = new Map<number, Promise<void>>()
  let stopped = false
  let cancelRenew = (): void => {}
  let cancelLook = (): void => {}
  // Renewals run one after the other. They wait for no connection, because one that closes slowly
  // would let all leases expire.
  let renewals = Promise.resolve()

  function alone(senderId: number, job: () => Promise<void>): void {
    const done = job()
      .catch((err: unknown) => logger.error({ err, sender: senderId }, 'a sender could not begin or end here'))
      .finally(() => busy.delete(senderId))
    busy.set(senderId, done)
  }

  /**
   * Starts or ends a sender here, to match its lease. A job that is not possible now is left for
   * the next look.
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

  /** Gives back one sender that other nodes have room for. */
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

  /**
   * Ends senders whose lease expired because the database does not answer, before another node
   * starts them.
   */
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
