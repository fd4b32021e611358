import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { createPaces } from '../lib/paces.ts'
import { SECOND } from '../lib/time.ts'
import { addressOf } from './auth.ts'

/** Calls from one address for the same thing. A window and a monitor make fewer. Ours. */
const SERVED = { perSecond: 25, atOnce: 200 }
/** Refused calls from one address: their answers are short. Ours. */
const REFUSED = { perSecond: 100, atOnce: 200 }
/** An honest one waits among many no longer (ms): some monitors give up after a second. */
const LONGEST_WAIT = SECOND / 2

/**
 * Calls of which nobody knows the caller: without a key, or with one that is not valid. Anybody on
 * this PC can make them, so that many of them wait, and not those of callers with a key.
 */
export interface Strangers {
  /**
   * Resolves when a call may be answered.
   * @param what is asked for; calls for something else do not count
   */
  beforeServing(req: IncomingMessage, what: string): Promise<void>
  beforeRefusing(req: IncomingMessage): Promise<void>
}

export function createStrangers(): Strangers {
  const served = createPaces<string>(SERVED)
  const refused = createPaces<string>(REFUSED)
  return {
    beforeServing: (req, what) => wait(served.after(`${addressOf(req)} ${what}`, 1)),
    beforeRefusing: (req) => wait(refused.after(addressOf(req), 1)),
  }
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await setTimeout(Math.min(ms, LONGEST_WAIT))
}
