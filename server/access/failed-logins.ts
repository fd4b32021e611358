import { createRateWindows } from '../lib/rate-window.ts'

const MOST = 20

export interface FailedLogins {
  /** Notes a failure. Returns the seconds to wait when there were too many within a minute. */
  note(address: string): number | null
}

/** Counts failed log-ins by address. A valid key on the same address is still served. */
export function createFailedLogins(elapsed: () => number): FailedLogins {
  const failures = createRateWindows<string>(elapsed)
  return { note: (address) => failures.count(address, MOST) }
}
