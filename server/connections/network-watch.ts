import { networkInterfaces } from 'node:os'
import type { Clock } from '../lib/clock.ts'
import { SECOND } from '../lib/time.ts'

/** Reading the addresses takes a fraction of a millisecond. */
export const LOOK_EVERY = 4 * SECOND

/**
 * The addresses that this PC has in networks; those that it gives itself where no network answers
 * are left out.
 */
export const systemAddresses = (): ReadonlySet<string> => usable(Object.values(networkInterfaces()).flat())

/** Addresses by which the internet may be reached. Pure. */
export const usable = (all: readonly ({ address: string; internal: boolean } | undefined)[]): ReadonlySet<string> =>
  new Set(
    all.flatMap((one) => {
      return one === undefined || one.internal || /^(169\.254\.|fe[89ab])/i.test(one.address) ? [] : [one.address]
    }),
  )

/** True if a network came, or another one: a loss alone is no reason to try. Pure. */
export const hasGained = (before: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...now].some((address) => !before.has(address))

/**
 * Notices that the PC has a network again, which Node reports nowhere. It looks only while a sender
 * is without a connection, so that a number is back in seconds and not after its back-off of up to
 * two minutes.
 * @param onGain a network is there that was not
 */
export function createNetworkWatch(
  addresses: () => ReadonlySet<string>,
  clock: Clock,
  onGain: (senderId: number) => void,
) {
  const waiting = new Set<number>()
  let known: ReadonlySet<string> = new Set()
  let cancel = (): void => {}

  function look(): void {
    const before = known
    known = addresses()
    cancel = clock.after(LOOK_EVERY, look)
    if (hasGained(before, known)) for (const senderId of [...waiting]) onGain(senderId)
  }

  return {
    /** Notes whether this sender is without a connection and tries again by itself. */
    set(senderId: number, isWaiting: boolean): void {
      const { size } = waiting
      if (isWaiting) waiting.add(senderId)
      else waiting.delete(senderId)
      if (size === 0 && waiting.size > 0) {
        known = addresses()
        cancel = clock.after(LOOK_EVERY, look)
      } else if (waiting.size === 0) cancel()
    },
    stop(): void {
      waiting.clear()
      cancel()
    },
  }
}
