import type { Schedule } from '../../../main/schedule.ts'

/** Time that stands still until a test moves it. */
export function createTimers() {
  let now = 0
  let waiting: { at: number; run: () => void }[] = []

  const schedule: Schedule = (ms, run) => {
    const timer = { at: now + ms, run }
    waiting.push(timer)
    return () => {
      waiting = waiting.filter((other) => other !== timer)
    }
  }

  return {
    schedule,
    pending: () => waiting.length,
    /** Runs what falls due within the next `ms`, in order. */
    advance(ms: number): void {
      const end = now + ms
      for (;;) {
        const next = waiting.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        waiting = waiting.filter((timer) => timer !== next)
        now = next.at
        next.run()
      }
      now = end
    },
  }
}
