/**
 * Runs a function after some milliseconds, unless the returned function is called before. Passed as
 * an argument, so that tests control time.
 */
export type Schedule = (ms: number, run: () => void) => () => void

export const realSchedule: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
