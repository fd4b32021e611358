import { createBoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createRateWindows } from '../../../lib/rate-window.ts'
import { SECOND } from '../../../lib/time.ts'
import { MOST_ASKED_OF_PHONE, MOST_UNREADABLE } from '../library/bounds.ts'

const MOST_REMEMBERED = 1_000

export type Unreadable = ReturnType<typeof createUnreadable>

/**
 * Counts messages that could not be read. Anybody can send them, and each is work: for us, and for
 * the owner's phone.
 */
export function createUnreadable({ elapsed }: Clock) {
  const counts = createRateWindows<string>(elapsed, MOST_REMEMBERED)
  const deafUntil = createBoundedMap<string, number>(MOST_REMEMBERED)
  const requests = createRateWindows<'phone'>(elapsed)
  const asked = createBoundedMap<string, unknown>(MOST_REMEMBERED)

  return {
    /** A message of this device could not be read. */
    count(device: string): void {
      const waitSeconds = counts.count(device, MOST_UNREADABLE - 1)
      if (waitSeconds !== null) deafUntil.set(device, elapsed() + waitSeconds * SECOND)
    },
    isTooMany: (device: string): boolean => (deafUntil.get(device) ?? 0) > elapsed(),
    /**
     * For the library: what the owner's phone was asked for. It does not ask again for what is
     * there.
     */
    requests: {
      get: <T>(id: string): T | undefined => {
        const isAsked = asked.get(id) ?? (requests.count('phone', MOST_ASKED_OF_PHONE) === null ? undefined : true)
        return isAsked as T | undefined
      },
      set: <T>(id: string, value: T): void => asked.set(id, value),
      del: (id: string): void => asked.delete(id),
      flushAll: (): void => asked.clear(),
    },
  }
}
