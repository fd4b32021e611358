import type { Clock } from '../../lib/clock.ts'
import type { Channel, Outcome } from '../../messages/channel.ts'
import type { Message } from '../../store/rows.ts'
import { type Fate, fateOf } from './fate.ts'

const OFFLINE_FOR = 30_000
const NO_ACKNOWLEDGEMENT_AFTER = 20_000
const BETWEEN_REPORTS = 300

export interface SandboxDeps {
  clock: Clock
  /** A message whose connection dropped is in nobody's hands: the sender comes back after 30 s. */
  onState(state: 'connected' | 'offline'): void
  onReport(message: Message, status: 'delivered' | 'read'): void
}

export interface Sandbox {
  channel: Channel
  /** Goes on with a message that an earlier run has sent: its receipts were still to come. */
  takeUp(message: Message): void
  stop(): void
}

/** A sender that never leaves the PC: same queue, log and callbacks, the world behind it is made up. */
export function createSandbox({ clock, onState, onReport }: SandboxDeps): Sandbox {
  const timers = new Set<() => void>()
  // Each message drops the connection once; afterwards it goes through.
  const dropped = new Set<string>()
  let offline = false

  function after(ms: number, fn: () => void): void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel)
      fn()
    })
    timers.add(cancel)
  }

  function goOffline(): void {
    offline = true
    onState('offline')
    after(OFFLINE_FOR, () => {
      offline = false
      onState('connected')
    })
  }

  /** One after the other: timers of different lengths change places when the PC is busy. */
  function reportOn(message: Message, [next, ...rest]: Fate['reports']): void {
    if (next === undefined) return
    after(BETWEEN_REPORTS, () => {
      onReport(message, next)
      reportOn(message, rest)
    })
  }

  function outcomeOf(message: Message): Promise<Outcome> {
    const fate = fateOf(message.recipient)
    if (fate.outcome === null) {
      const silence: Outcome = { kind: 'unknown', reason: 'no acknowledgement within 20 s' }
      return new Promise((resolve) => after(NO_ACKNOWLEDGEMENT_AFTER, () => resolve(silence)))
    }
    if (fate.outcome.kind === 'acknowledged') reportOn(message, fate.reports)
    return Promise.resolve(fate.outcome)
  }

  return {
    channel: {
      ready: () => !offline,
      isFirstContact: () => false,
      async check(message) {
        const fate = fateOf(message.recipient)
        if (!fate.goesOffline || dropped.has(message.id)) return fate.check
        dropped.add(message.id)
        goOffline()
        return { kind: 'offline' }
      },
      send: async (message) => ({ outcome: outcomeOf(message) }),
    },
    takeUp: (message) => reportOn(message, fateOf(message.recipient).reports),
    stop() {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}
