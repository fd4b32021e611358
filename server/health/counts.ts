import type { ConcernFacts } from './concerns/facts.ts'

/** Messages that wait, over all senders but the sandbox, which counts nowhere. Pure. */
export const countWaiting = ({ senders }: ConcernFacts): number =>
  senders.reduce((sum, { waiting }) => sum + waiting, 0)

/** Callbacks that wait or were given up, over all endpoints. Pure. */
export const countCallbacks = ({ endpoints }: ConcernFacts): { pending: number; dead: number } => ({
  pending: endpoints.reduce((sum, { pending }) => sum + pending, 0),
  dead: endpoints.reduce((sum, { dead }) => sum + dead, 0),
})
