import type { Clock } from '../../lib/clock.ts'

// As long as the library keeps them.
const KEEP_MS = 5 * 60_000
// A look-up that is older must be made again before a message is handed over, lest it expire on the way.
const FRESH_MS = 4 * 60_000

interface Entry {
  devices: unknown
  at: number
}

export type DeviceCache = ReturnType<typeof createDeviceCache>

/**
 * The devices of recipients, shared with the library. It is ours because the library, when it must ask for devices and
 * gets no answer, sends the message to nobody and calls that sent.
 */
export function createDeviceCache(clock: Clock) {
  const entries = new Map<string, Entry>()
  const agedAtMost = (user: string, ms: number): Entry | undefined => {
    const entry = entries.get(user)
    return entry !== undefined && clock.now() - entry.at < ms ? entry : undefined
  }
  function dropOldest(): void {
    for (const [user, { at }] of entries) {
      if (clock.now() - at < KEEP_MS) return
      entries.delete(user)
    }
  }

  return {
    isFresh: (user: string): boolean => agedAtMost(user, FRESH_MS) !== undefined,
    /** For the library. */
    store: {
      get: <T>(user: string): T | undefined => agedAtMost(user, KEEP_MS)?.devices as T | undefined,
      set<T>(user: string, devices: T): void {
        dropOldest()
        entries.delete(user)
        entries.set(user, { devices, at: clock.now() })
      },
      del: (user: string): void => void entries.delete(user),
      flushAll: (): void => entries.clear(),
    },
  }
}
