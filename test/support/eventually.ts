import { setImmediate, setTimeout } from 'node:timers/promises'

// What takes longer than so many turns waits for a disk, a timer or a process, which need the
// processor more than the test.
const TURNS = 100
const LATER_MS = 5

/**
 * Lets the event loop turn until something holds; the test's own time limit ends a wait that is in
 * vain.
 */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) await (turn < TURNS ? setImmediate() : setTimeout(LATER_MS))
}
