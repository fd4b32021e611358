import type { Concern, ConcernCount } from '../contract/concerns.ts'
import { describeConcern } from '../words/concern-text.ts'
import { en } from '../words/en/index.ts'
import type { ConcernFacts } from './concerns/facts.ts'

/** Messages that wait, over all senders but the sandbox, which counts nowhere. Pure. */
export const countWaiting = ({ senders }: ConcernFacts): number =>
  senders.reduce((sum, { waiting }) => sum + waiting, 0)

/** Callbacks that wait or were given up, over all endpoints. Pure. */
export const countCallbacks = ({ endpoints }: ConcernFacts): { pending: number; dead: number } => ({
  pending: endpoints.reduce((sum, { pending }) => sum + pending, 0),
  dead: endpoints.reduce((sum, { dead }) => sum + dead, 0),
})

/** Concerns as anybody may read them: one line for each code, in the order of the list. Pure. */
export function countConcerns(concerns: readonly Concern[], now: number): ConcernCount[] {
  return [...Map.groupBy(concerns, ({ code }) => code)].flatMap(([code, [first, ...others]]) => {
    if (first === undefined) return []
    const all = [first, ...others]
    return {
      code,
      weight: first.weight,
      message: describeConcern(anonymous(first), en, now).event,
      count: all.length,
      messages: all.reduce((sum, { waiting, failed }) => sum + waiting + failed, 0),
    }
  })
}

// Only the name of a check is kept; its other details may be numbers, or words of another program.
const anonymous = (concern: Concern): Concern => ({
  ...concern,
  sender_name: null,
  host: null,
  program: null,
  detail: concern.code === 'checks_failing' || concern.code === 'update_available' ? concern.detail : null,
})
