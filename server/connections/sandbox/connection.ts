import { isGroupId } from '../../contract/phone.ts'
import { type Clock, SECOND } from '../../lib/clock.ts'
import type { Channel, Outcome } from '../../messages/channel.ts'
import type { SenderConnection } from '../../senders/ports.ts'
import type { GroupMember, Message } from '../../store/index.ts'

const BETWEEN_REPORTS = 0.3 * SECOND

/** Course of a sandbox message, chosen by the last digits of its number or its group's id. */
export interface Scenario {
  check: Outcome | 'go'
  /** Null: WhatsApp never acknowledges. */
  outcome: Outcome | null
  /** Statuses that follow, one after the other. */
  reports: readonly ('delivered' | 'read')[]
  /** The sender drops its connection first and is away for 30 seconds. */
  goesOffline: boolean
}

const ARRIVES: Scenario = {
  check: 'go',
  outcome: { kind: 'acknowledged' },
  reports: ['delivered', 'read'],
  goesOffline: false,
}

const BY_ENDING: Record<string, Partial<Scenario>> = {
  '0001': { check: { kind: 'refused', code: 'recipient_not_on_whatsapp' } },
  '0002': { reports: [] },
  '0003': { reports: ['delivered'] },
  '0004': { outcome: null },
  '0005': { outcome: { kind: 'refused', code: 'account_restricted', providerCode: '463' } },
  '0006': { goesOffline: true },
}

/** Scenarios of messages to groups, by the ending of the group's id. */
const OF_GROUPS: Record<string, Partial<Scenario>> = {
  ...BY_ENDING,
  '0001': { check: { kind: 'refused', code: 'not_in_group' } },
  '0103': { check: { kind: 'refused', code: 'group_closed' } },
}

export function scenarioOf(recipient: string): Scenario {
  const [number = '', server] = recipient.split('@')
  return { ...ARRIVES, ...(server === undefined ? BY_ENDING : OF_GROUPS)[number.slice(-4)] }
}

const OFFLINE_FOR = 30 * SECOND
const NO_ACKNOWLEDGEMENT_AFTER = 20 * SECOND
/** The other members of each group of the sandbox. */
const MEMBERS: readonly GroupMember[] = ['1@lid', '2@lid', '3@lid', '4@lid'].map((address) => [address])

export interface SandboxEvents {
  onState(state: 'connected' | 'offline'): void
  /** Called when a message goes to a group. Resolves when its members are on disk. */
  onMembers(message: Message, members: readonly GroupMember[]): Promise<unknown>
  /**
   * Called with each status. Resolves when it is on disk; the next status comes after it.
   * @param member the member of the group who sent the receipt
   */
  onReport(message: Message, status: 'delivered' | 'read', member?: GroupMember): Promise<void>
}

export interface SandboxConnection extends SenderConnection {
  /** Continues a message that an earlier run sent and whose receipts are still to come. */
  takeUp(message: Message): void
}

/**
 * Creates the connection of a sandbox: its messages have the usual queue, log and callbacks, but
 * never leave the PC, because WhatsApp is simulated.
 */
export function createSandboxConnection(
  clock: Clock,
  { onState, onMembers, onReport }: SandboxEvents,
): SandboxConnection {
  const timers = createTimers(clock)
  // Each message drops the connection once; afterwards it goes through.
  const dropped = new Set<string>()
  let offline = false

  function goOffline(): void {
    offline = true
    onState('offline')
    timers.after(OFFLINE_FOR, () => {
      offline = false
      onState('connected')
    })
  }

  const reportOn = (message: Message, reports: Scenario['reports']): void =>
    timers.inTurn(reports, (status) => report(message, status))

  async function report(message: Message, status: 'delivered' | 'read'): Promise<void> {
    if (!isGroupId(message.recipient)) return onReport(message, status)
    for (const member of MEMBERS) await onReport(message, status, member)
  }

  function outcomeOf(message: Message): Promise<Outcome> {
    const { outcome, reports } = scenarioOf(message.recipient)
    if (outcome === null) {
      const silence: Outcome = { kind: 'unknown', reason: 'no acknowledgement within 20 s' }
      return new Promise((resolve) => timers.after(NO_ACKNOWLEDGEMENT_AFTER, () => resolve(silence)))
    }
    if (outcome.kind === 'acknowledged') reportOn(message, reports)
    return Promise.resolve(outcome)
  }

  const channel: Channel = {
    ready: () => !offline,
    isFirstContact: async () => false,
    async check(message) {
      const { check, goesOffline } = scenarioOf(message.recipient)
      if (!goesOffline || dropped.has(message.id)) return check
      dropped.add(message.id)
      goOffline()
      return { kind: 'offline' }
    },
    async send(message) {
      if (isGroupId(message.recipient)) await onMembers(message, MEMBERS)
      return { outcome: outcomeOf(message) }
    },
    revoke: async () => ({ kind: 'acknowledged' }),
  }

  return {
    channel,
    takeUp: (message) => reportOn(message, scenarioOf(message.recipient).reports),
    // There is nothing to link, and no socket that sleep could cut.
    linking: () => null,
    async link() {},
    answerPasskey: async () => false,
    confirmPasskey: async () => false,
    async unlink() {},
    suspend() {},
    resume() {},
    wake() {},
    stop: async () => timers.stop(),
  }
}

/** Creates timers for everything that is still to happen in a sandbox. */
export function createTimers(clock: Clock) {
  const timers = new Set<() => void>()

  function after(ms: number, fn: () => void): void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      fn()
    })
    timers.add(cancel)
  }

  /** Starts each timer after the one before: timers that run side by side may swap on a busy PC. */
  function inTurn<T>(
    [next, ...rest]: readonly T[],
    report: (one: T) => Promise<void>,
    written = Promise.resolve(),
  ): void {
    if (next === undefined) return
    after(BETWEEN_REPORTS, () => {
      const done = written.then(() => report(next))
      inTurn(rest, report, done)
    })
  }

  return {
    after,
    inTurn,
    stop(): void {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}
