import { networkInterfaces } from 'node:os'
import { type Clock, SECOND } from '../lib/clock.ts'
import { sleep } from '../lib/sleep.ts'
import { pacedUntil } from '../messages/gates.ts'
import type { SenderConnection } from '../senders/ports.ts'
import type { SenderRow } from '../store/index.ts'
import type { ConnectionContext } from './context.ts'
import type { LinkedConnection, LinkedConnectionDeps } from './linked/index.ts'
import { createSandboxes } from './sandbox/index.ts'

// More than a queue may hold.
const MOST_RELEASED = 1_000_000

type ConnectLinked = (deps: LinkedConnectionDeps) => LinkedConnection

/** Creates each sender's connection and starts its queue worker. */
export function createConnections(context: ConnectionContext) {
  const { store, states, record, lanes, bus, clock, logger } = context
  const running = new Map<number, SenderConnection>()
  // A lane waits until it is written which number is linked.
  const stopWaking = bus.on('sender', ({ code }) => {
    const sender = store.senders.byCode(code)
    if (sender !== undefined) lanes.wake(sender.id)
  })
  let connectLinked: ConnectLinked | undefined

  const network = createNetworkWatch(context.linked.networkAddresses ?? systemAddresses, clock, (senderId) =>
    running.get(senderId)?.wake(),
  )

  const sandboxes = createSandboxes(context)
  const stopping = new AbortController()

  /** First contacts need not wait any longer. */
  function release(senderId: number): void {
    store.queues
      .release(senderId, clock.now(), MOST_RELEASED)
      .then(() => lanes.wake(senderId))
      .catch((err: unknown) => logger.error({ err, sender: senderId }, 'messages that waited could not be made due'))
  }

  /** A look-up is paced as a send is. */
  function takeTurn(senderId: number): Promise<void> {
    const pacing = store.senders.get(senderId)?.settings.pacing ?? { min_seconds: 0, max_seconds: 0 }
    const until = pacedUntil(pacing, clock.now(), context.random())
    return store.sendingState.change(senderId, (state) => ({ ...state, pacedUntil: until }))
  }

  /**
   * Another number than before: what waits was meant to leave through the old one, so the owner is
   * asked.
   */
  function noteOtherPhone(senderId: number, phone: string): void {
    const row = store.senders.get(senderId)
    if (row === undefined) return
    const before = row.previousPhone ?? row.phone
    const isOther =
      before !== null && before !== phone && (row.previousPhone !== null || store.queues.waiting(senderId) > 0)
    const previousPhone = isOther ? before : null
    if (previousPhone !== row.previousPhone) states.note(senderId, { previousPhone })
  }

  /**
   * Brings WhatsApp's library with it, half of what the program loads: without a linked number it
   * starts sooner and needs less memory (docs/decisions/0092-library-cost.md).
   */
  async function loadLinked(): Promise<ConnectLinked> {
    const { createLinkedConnection, createVersionsInUse } = await import('./linked/index.ts')
    if (connectLinked === undefined) {
      const { versionUrl } = context.whatsapp
      const versions = createVersionsInUse(store.meta, versionUrl, clock, logger, stopping.signal)
      connectLinked = (deps) => createLinkedConnection(deps, versions)
    }
    return connectLinked
  }

  function linked(connect: ConnectLinked, sender: SenderRow, deafBefore: number): SenderConnection {
    const connection = connect({
      mediaDispatcher: context.linked.mediaDispatcher ?? context.mediaDispatcher,
      timeouts: context.linked.timeouts,
      senderId: sender.id,
      phone: sender.phone,
      initial: sender,
      mayBeReplaced: context.mayBeReplaced,
      store,
      record,
      vault: context.vault,
      endTime: context.endTime,
      whatsapp: context.whatsapp,
      clock,
      random: context.random,
      logger,
      onState(report) {
        const isLost = report.state === 'offline' && report.noConnectionBefore === null
        network.set(sender.id, isLost || report.state === 'connecting')
        if (report.phone !== undefined) noteOtherPhone(sender.id, report.phone)
        states.report(sender.id, report)
      },
      onLinking: () => bus.emit('sender', { code: sender.code }),
      onFirstContacts(firstContacts, isFreed) {
        states.note(sender.id, { firstContacts })
        if (isFreed) release(sender.id)
        else lanes.wake(sender.id)
      },
      onLookUp: () => takeTurn(sender.id),
      onStatus: ({ providerMessageId, ...report }) => record.report({ providerMessageId, senderId: sender.id }, report),
      onReceived: context.customers.received,
      wakeLane: () => lanes.wake(sender.id),
      deafBefore,
      onDeaf: (times) => void restart(sender.id, times),
      isRecorded: (phone) => store.senders.get(sender.id)?.phone === phone,
    })
    connection.start()
    return connection
  }

  /**
   * The owner may have deleted it meanwhile, another node may have taken it over, or the program
   * ends.
   */
  const isUnwanted = (senderId: number): boolean =>
    store.senders.get(senderId) === undefined || !context.isOurs(senderId) || stopping.signal.aborted

  /** Everything that the linked part remembers is made again. */
  async function restart(senderId: number, deafBefore: number): Promise<void> {
    try {
      await finish(senderId)
      const sender = store.senders.get(senderId)
      if (sender === undefined || isUnwanted(senderId)) return
      bus.emit('linked_restart', { code: sender.code })
      await start(sender, deafBefore)
    } catch (error) {
      logger.error({ err: error, sender: senderId }, 'a linked number could not be started again')
    }
  }

  async function close(senderId: number): Promise<void> {
    network.set(senderId, false)
    await running.get(senderId)?.stop()
    running.delete(senderId)
  }

  /**
   * Ends it here, perhaps to begin it again: the next connection and lane must not meet what the
   * former ones still write.
   * @param within so long acknowledgements are waited for, in milliseconds; default: not at all
   */
  async function finish(senderId: number, within = 0): Promise<void> {
    const over = lanes.shut(senderId)
    if (within > 0) await Promise.race([over, sleep(clock, within, stopping.signal).catch(() => undefined)])
    await close(senderId)
    await over
  }

  /** @param deafBefore how often in a row its connection brought nothing */
  async function start(sender: SenderRow, deafBefore = 0): Promise<void> {
    // Official senders have no connection: most templates leave inside the request of their caller.
    if (sender.kind === 'official') return lanes.open(sender.id, context.templateChannel(sender))
    if (running.has(sender.id)) return
    if (sender.kind === 'sandbox') return run(sender.id, await sandboxes.open(sender))
    const connect = await loadLinked()
    if (!running.has(sender.id) && !isUnwanted(sender.id)) run(sender.id, linked(connect, sender, deafBefore))
  }

  function run(senderId: number, connection: SenderConnection): void {
    running.set(senderId, connection)
    lanes.open(senderId, connection.channel)
  }

  return {
    /** Posts template messages of a sandbox. */
    sandboxPost: sandboxes.post,
    get: (senderId: number): SenderConnection | undefined => running.get(senderId),
    start: (sender: SenderRow): Promise<void> => start(sender),
    /** Loads WhatsApp's library before the first linked number needs it. */
    loadLibrary: loadLinked,
    async startAll(): Promise<void> {
      for (const sender of store.senders.list()) await start(sender)
    },
    /** For good: what is under way may come to its end later. */
    async end(senderId: number): Promise<void> {
      await lanes.shut(senderId, 0)
      await close(senderId)
    },
    finish,
    suspendAll(): void {
      for (const each of running.values()) each.suspend()
    },
    resumeAll(): void {
      for (const each of running.values()) each.wake()
    },
    async stop(): Promise<void> {
      stopWaking()
      network.stop()
      stopping.abort()
      sandboxes.stop()
      await Promise.all([...running.values()].map((each) => each.stop()))
      await context.mediaDispatcher.destroy()
    },
  }
}

/** Reading the addresses takes a fraction of a millisecond. */
export const LOOK_EVERY = 4 * SECOND

/**
 * The addresses that this PC has in networks; those that it gives itself where no network answers
 * are left out.
 */
export const systemAddresses = (): ReadonlySet<string> => usableAddresses(Object.values(networkInterfaces()).flat())

/** Addresses by which the internet may be reached. Pure. */
export const usableAddresses = (
  all: readonly ({ address: string; internal: boolean } | undefined)[],
): ReadonlySet<string> =>
  new Set(
    all.flatMap((one) => {
      return one === undefined || one.internal || /^(169\.254\.|fe[89ab])/i.test(one.address) ? [] : [one.address]
    }),
  )

/** True if a network came, or another one: a loss alone is no reason to try. Pure. */
export const hasGained = (before: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...now].some((address) => !before.has(address))

/**
 * Notices that the PC has a network again, which Node reports nowhere. It looks only while a sender
 * is without a connection, so that a number is back in seconds and not after its back-off of up to
 * two minutes.
 * @param onGain a network is there that was not
 */
export function createNetworkWatch(
  addresses: () => ReadonlySet<string>,
  clock: Clock,
  onGain: (senderId: number) => void,
) {
  const waiting = new Set<number>()
  let known: ReadonlySet<string> = new Set()
  let cancel = (): void => {}

  function look(): void {
    const before = known
    known = addresses()
    cancel = clock.after(LOOK_EVERY, look)
    if (hasGained(before, known)) for (const senderId of [...waiting]) onGain(senderId)
  }

  return {
    /** Notes whether this sender is without a connection and tries again by itself. */
    set(senderId: number, isWaiting: boolean): void {
      const { size } = waiting
      if (isWaiting) waiting.add(senderId)
      else waiting.delete(senderId)
      if (size === 0 && waiting.size > 0) {
        known = addresses()
        cancel = clock.after(LOOK_EVERY, look)
      } else if (waiting.size === 0) cancel()
    },
    stop(): void {
      waiting.clear()
      cancel()
    },
  }
}
