import { type SystemClock, systemClock } from '../../server/lib/clock.ts'

/** The true clock, set back by as much as the story needs: its days pass at once, its timers take their time. */
export function createMovingClock(): SystemClock & { set(time: number): void } {
  let behind = 0
  return {
    ...systemClock,
    now: () => systemClock.now() - behind,
    // For Kurir the PC slept meanwhile: nobody set its clock.
    uptime: () => systemClock.uptime() - behind,
    set(time) {
      behind = systemClock.now() - time
    },
  }
}
