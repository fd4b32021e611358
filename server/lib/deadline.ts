import type { Clock } from './clock.ts'
import { SECOND } from './time.ts'

export interface Deadline {
  /** Aborted with an Error that says how long was waited. */
  signal: AbortSignal
  /** Must be called when the work is over. */
  cancel(): void
}

/** A signal that is aborted `ms` from now. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  const late = new AbortController()
  const cancel = clock.after(ms, () => late.abort(new Error(`no answer within ${ms / SECOND} seconds`)))
  return { signal: late.signal, cancel }
}
