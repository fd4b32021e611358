import { setImmediate } from 'node:timers/promises'

/** Lets the event loop turn until something holds; the test's own time limit ends a wait that is in vain. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate()
}
