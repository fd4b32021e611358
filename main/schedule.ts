/**
 * Runs something after so many ms, unless the returned function is called before. Handed in, so
 * that tests own time.
 */
export type Schedule = (ms: number, run: () => void) => () => void

export const realSchedule: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
