const MINUTE = 60_000
const MOST = 20
const MOST_ADDRESSES = 10_000

/** Counts failed log-ins by address, so that keys cannot be guessed. A valid key on the same address is still served. */
export function createFailureLimit(now: () => number) {
  const failures = new Map<string, { since: number; count: number }>()
  return {
    /** Notes a failure. Returns the seconds to wait when there were too many within a minute. */
    note(address: string): number | null {
      const at = now()
      const entry = failures.get(address)
      const window = entry !== undefined && at - entry.since < MINUTE ? entry : { since: at, count: 0 }
      window.count += 1
      if (failures.size >= MOST_ADDRESSES) failures.clear()
      failures.set(address, window)
      return window.count > MOST ? Math.ceil((window.since + MINUTE - at) / 1000) : null
    },
  }
}
export type FailureLimit = ReturnType<typeof createFailureLimit>
