/**
 * Runs the same work once at a time. A start during a run brings one more run after it.
 * @param work must not reject
 */
export function oneRunAtATime(work: () => Promise<void>): { start(): void; idle(): Promise<void> } {
  let running: Promise<void> | undefined
  let isAskedAgain = false

  function start(): void {
    if (running !== undefined) {
      isAskedAgain = true
      return
    }
    running = work().then(() => {
      running = undefined
      if (!isAskedAgain) return
      isAskedAgain = false
      start()
    })
  }

  return { start, idle: () => running ?? Promise.resolve() }
}
