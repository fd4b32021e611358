import { setImmediate, setTimeout } from 'node:timers/promises'

// After this many turns the condition waits for a disk, a timer or a process, which need the CPU
// more than the test does.
const TURNS = 100
const LATER_MS = 5

/** Lets the event loop turn until a condition holds. The test's own timeout ends a vain wait. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) await (turn < TURNS ? setImmediate() : setTimeout(LATER_MS))
}
