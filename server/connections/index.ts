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

/** Creates each sender's connection and opens its lane. */
export function createConnections(context: ConnectionContext) {
  const { store, states, record, lanes, bus, clock, logger } = context
  const running = new Map<number, SenderConnection>()
  // A lane waits until the linked number is stored.
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

  /** Makes the waiting first contacts of a sender due now. */
  function release(senderId: number): void {
    store.queues
      .release(senderId, clock.now(), MOST_RELEASED)
      .then(() => lanes.wake(senderId))
      .catch((err: unknown) => logger.error({ err, sender: senderId }, 'messages that waited could not be made due'))
  }

  /** Paces a look-up like a send. */
  function takeTurn(senderId: number): Promise<void> {
    const pacing = store.senders.get(senderId)?.settings.pacing ?? { min_seconds: 0, max_seconds: 0 }
    const until = pacedUntil(pacing, clock.now(), context.random())
    return store.sendingState.change(senderId, (state) => ({ ...state, pacedUntil: until }))
  }

  /**
   * Notes the old number if another number was linked while messages wait. They were meant to leave
   * through the old number, so the owner is asked.
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
   * Imports WhatsApp's library, which is half of the code that the program loads. Without a linked
   * number Kurir starts sooner and needs less memory (docs/decisions/0092-library-cost.md).
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
   * True if the owner has deleted the sender, another node has taken it over, or the process is
   * ending.
   */
  const isUnwanted = (senderId: number): boolean =>
    store.senders.get(senderId) === undefined || !context.isOurs(senderId) || stopping.signal.aborted

  /** Ends a linked connection and creates it again, without anything that it remembered. */
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
   * Ends a sender's connection and lane on this node. Waits for their last writes, because the next
   * connection and lane must not run beside them.
   * @param within longest wait for acknowledgements, in milliseconds; default: no wait
   */
  async function finish(senderId: number, within = 0): Promise<void> {
    const over = lanes.shut(senderId)
    if (within > 0) await Promise.race([over, sleep(clock, within, stopping.signal).catch(() => undefined)])
    await close(senderId)
    await over
  }

  /** @param deafBefore number of connections in a row that brought nothing */
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
    sandboxPost: sandboxes.post,
    get: (senderId: number): SenderConnection | undefined => running.get(senderId),
    start: (sender: SenderRow): Promise<void> => start(sender),
    /** Loads WhatsApp's library before the first linked number needs it. */
    loadLibrary: loadLinked,
    async startAll(): Promise<void> {
      for (const sender of store.senders.list()) await start(sender)
    },
    /** Ends a sender for good. Sends in progress may end later. */
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

/** Interval (ms). Reading the addresses takes a fraction of a millisecond. */
export const LOOK_EVERY = 4 * SECOND

/**
 * Returns the addresses that this PC has in networks, without those that it gives itself if no
 * network answers.
 */
export const systemAddresses = (): ReadonlySet<string> => usableAddresses(Object.values(networkInterfaces()).flat())

/** Returns the addresses by which the internet may be reached. Pure. */
export const usableAddresses = (
  all: readonly ({ address: string; internal: boolean } | undefined)[],
): ReadonlySet<string> =>
  new Set(
    all.flatMap((one) => {
      return one === undefined || one.internal || /^(169\.254\.|fe[89ab])/i.test(one.address) ? [] : [one.address]
    }),
  )

/** True if an address is new. The loss of an address alone is no reason to try. Pure. */
export const hasGained = (before: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...now].some((address) => !before.has(address))

/**
 * Notices that the PC has a network again, which Node does not report. A number is then back in
 * seconds, and not after its back-off of up to two minutes. Looks only while a sender has no
 * connection.
 * @param onGain called for each of these senders when the PC has a new address
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
    /** @param isWaiting true if the sender has no connection and tries again by itself */
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
