import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { MINUTE } from '../../../lib/time.ts'

// As long as the library keeps them.
const KEPT_FOR = 5 * MINUTE
// A look-up that is older is made again before a message is sent, so that it does not expire on the
// way.
const FRESH_FOR = 4 * MINUTE
const MOST_RECIPIENTS = 2_000

interface Entry {
  devices: unknown
  at: number
}

export type DeviceCache = ReturnType<typeof createDeviceCache>

/**
 * The devices of recipients, shared with the library. It is ours because the library, when it must
 * ask for devices and gets no answer, sends the message to no device and calls that sent.
 */
export function createDeviceCache(clock: Clock) {
  const entries = createBoundedMap<string, Entry>(MOST_RECIPIENTS)
  const agedAtMost = (user: string, ms: number): Entry | undefined => {
    const entry = entries.get(user)
    const age = clock.now() - (entry?.at ?? 0)
    // The clock may have been set back.
    return entry !== undefined && age >= 0 && age < ms ? entry : undefined
  }

  return {
    isFresh: (user: string): boolean => agedAtMost(user, FRESH_FOR) !== undefined,
    /** For the library. */
    store: {
      get: <T>(user: string): T | undefined => agedAtMost(user, KEPT_FOR)?.devices as T | undefined,
      set: <T>(user: string, devices: T): void => entries.set(user, { devices, at: clock.now() }),
      del: (user: string): void => entries.delete(user),
      flushAll: (): void => entries.clear(),
    },
  }
}
