import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { createPaces } from '../lib/paces.ts'
import { SECOND } from '../lib/time.ts'
import { addressOf } from './auth.ts'

/** Calls from one address for one thing. A window and a monitor make fewer. Ours. */
const PACE = { perSecond: 20, atOnce: 100 }
/** An honest one waits among many no longer than this (ms). */
const LONGEST_WAIT = SECOND

/**
 * Calls of which nobody knows the caller: without a key, or with one that is not valid. Anybody on
 * this PC can make them, so that many of them wait, and not those of callers with a key.
 */
export interface Strangers {
  /**
   * Resolves when a call may be answered.
   * @param what is asked for; calls for something else do not count
   */
  wait(req: IncomingMessage, what: string): Promise<void>
}

export function createStrangers(): Strangers {
  const paces = createPaces<string>(PACE)
  return {
    async wait(req, what) {
      const ms = paces.after(`${addressOf(req)} ${what}`, 1)
      if (ms > 0) await setTimeout(Math.min(ms, LONGEST_WAIT))
    },
  }
}
