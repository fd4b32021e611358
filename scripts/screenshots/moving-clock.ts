import { type Clock, systemClock } from '../../server/lib/clock.ts'

/** The true clock, set back by as much as the story needs: its days pass at once, its timers take their time. */
export function createMovingClock(): Clock & { set(time: number): void } {
  let behind = 0
  return {
    now: () => systemClock.now() - behind,
    after: systemClock.after,
    set(time) {
      behind = systemClock.now() - time
    },
  }
}
