import { type SystemClock, systemClock } from '../../server/lib/clock.ts'

/**
 * A clock that stands still between the moments of the story, so that every time in a picture is
 * always the same. Timers run normally.
 */
export function createStoryClock(): SystemClock & { set(time: number): void } {
  let time = 0
  return {
    now: () => time,
    elapsed: () => time,
    uptime: () => time,
    after: systemClock.after,
    set(next) {
      time = next
    },
  }
}
